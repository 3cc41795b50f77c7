export {
  createProject,
  findProject,
  isMfaRequiredAnywhere,
  lockEnvironment,
  projectOf,
  updateSettings,
} from './environments.ts';
export { part } from './part.ts';
