import { domainRoutes } from './domains.admin.ts';

/** The routes of this part, by surface. */
export const routes = {
  admin: domainRoutes,
};
