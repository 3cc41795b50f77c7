export {
  createProject,
  createWorkspace,
  findProject,
  isEmptyInstallation,
  projectNames,
  projectOf,
  setDefaultProject,
  updateSettings,
  workspaceByRoutingKey,
} from './projects.ts';
export { Settings, sessionLifetimes } from './settings.ts';
