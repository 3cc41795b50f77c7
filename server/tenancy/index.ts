export {
  createProject,
  createWorkspace,
  findProject,
  isEmptyInstallation,
  type ProjectEnvironment,
  projectNames,
  projectOf,
  setDefaultProject,
  updateSettings,
} from './projects.ts';
export { defaultSettings, Settings, sessionLifetimes } from './settings.ts';
