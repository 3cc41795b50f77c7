import { auditRoutes } from './audit.admin.ts';

/** The routes of this part, by surface. */
export const routes = {
  admin: auditRoutes,
};
