import { domainRoutes } from './domains.admin.ts';

/** Everything that is served here, by surface. */
export const routes = {
  admin: domainRoutes,
};
