import { settingsRoutes } from './settings.admin.ts';

/** Everything that is served here, by surface. */
export const routes = {
  admin: settingsRoutes,
};
