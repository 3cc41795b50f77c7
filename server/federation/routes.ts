import { providerTestRoutes } from './providers.admin.ts';
import { socialRoutes } from './social.auth.ts';

/** Every route of this part, by surface. */
export const routes = {
  auth: socialRoutes,
  admin: providerTestRoutes,
};
