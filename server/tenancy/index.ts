export {
  createProject,
  createWorkspace,
  findProject,
  isEmptyInstallation,
  type ProjectEnvironment,
  projectOf,
  setDefaultProject,
  updateSettings,
} from './projects.ts';
export { defaultSettings, Settings, sessionLifetimes } from './settings.ts';
