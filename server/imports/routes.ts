import { importRoutes } from './imports.admin.ts';

/** Everything that is served here, by surface. */
export const routes = {
  admin: importRoutes,
};
