import { apiRoutes } from './apis.admin.ts';

/** The routes of this part, by surface. */
export const routes = { admin: apiRoutes };
