import { permissionRoutes } from './permissions.admin.ts';

/** The routes of this part, by surface. */
export const routes = {
  admin: permissionRoutes,
};
