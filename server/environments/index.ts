export {
  createProject,
  findProject,
  isMfaRequiredAnywhere,
  lockEnvironment,
  projectOf,
  updateSettings,
} from './environments.ts';
export { environmentsPart } from './part.ts';
export { routes } from './routes.ts';
