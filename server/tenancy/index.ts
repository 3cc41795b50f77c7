export { CLOSING_TOPIC, isClosed, isOpen } from './closed-scopes.ts';
export {
  closeProject,
  closeWorkspace,
  isDueForRemoval,
  projectIdsOf,
  RemovalWork,
  removalJob,
  removeProject,
  removeWorkspace,
  restoreProject,
  restoreWorkspace,
} from './deletions.ts';
export {
  allWorkspaces,
  countProjects,
  getProject,
  getWorkspace,
  listProjects,
  Name,
  Project,
  ProjectQuery,
  renameProject,
  renameWorkspace,
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
  setDefaultProject,
  takeDefaultProject,
  updateSettings,
  workspaceByRoutingKey,
} from './projects.ts';
export { routes } from './routes.ts';
