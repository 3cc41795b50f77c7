import { auditRoutes } from './audit.admin.ts';

/** Everything that is served here, by surface. */
export const routes = {
  admin: auditRoutes,
};
