import { importRoutes } from './imports.admin.ts';

/** Every route of this part, by surface. */
export const routes = {
  admin: importRoutes,
};
