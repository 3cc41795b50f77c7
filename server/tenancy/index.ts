export { CLOSING_TOPIC, isClosed, isOpen } from './closed-scopes.ts';
export {
  closePlace,
  isDueForRemoval,
  projectIdsOf,
  removePlace,
  restorePlace,
} from './deletions.ts';
export {
  allWorkspaces,
  countProjects,
  getProject,
  getWorkspace,
  listProjects,
  Project,
  renamePlace,
  Workspace,
  workspacesById,
} from './directory.ts';
export { tenancyPart } from './part.ts';
export {
  createProject,
  createWorkspace,
  findProject,
  isEmptyInstallation,
  isMfaRequiredAnywhere,
  lockEnvironment,
  type ProjectEnvironment,
  projectExists,
  projectNames,
  projectOf,
  takeDefaultProject,
  updateSettings,
  workspaceByRoutingKey,
} from './projects.ts';
export { routes } from './routes.ts';
