export {
  allWorkspaces,
  countProjects,
  getProject,
  listProjects,
  Name,
  Project,
  ProjectQuery,
  renameProject,
  renameWorkspace,
  Workspace,
  workspacesById,
} from './directory.ts';
export {
  createProject,
  createWorkspace,
  findProject,
  isEmptyInstallation,
  projectNames,
  projectOf,
  setDefaultProject,
  takeDefaultProject,
  updateSettings,
  workspaceByRoutingKey,
} from './projects.ts';
export { settingsRoutes } from './settings.admin.ts';
export { type Branding, Language, languages, Settings, SignInMethod, sessionLifetimes } from './settings.ts';
