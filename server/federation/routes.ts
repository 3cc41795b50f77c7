import { providerTestRoutes } from './providers.admin.ts';
import { socialRoutes } from './social.auth.ts';

/** Everything that is served here, by surface. */
export const routes = {
  auth: socialRoutes,
  admin: providerTestRoutes,
};
