import { usedApplicationRoutes } from './applications.me.ts';
import { impersonationRoutes } from './impersonation.admin.ts';
import { ownImpersonationRoutes } from './impersonation.me.ts';
import { providerRoutes } from './provider.auth.ts';

/** The routes of this part, by surface. */
export const routes = {
  auth: providerRoutes,
  me: [...usedApplicationRoutes, ...ownImpersonationRoutes],
  admin: impersonationRoutes,
};
