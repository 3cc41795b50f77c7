import { settingsRoutes } from './settings.admin.ts';

/** The routes of this part, by surface. */
export const routes = {
  admin: settingsRoutes,
};
