import { usedApplicationRoutes } from './applications.me.ts';
import { providerRoutes } from './provider.auth.ts';

/** Everything that is served here, by surface. */
export const routes = {
  auth: providerRoutes,
  me: usedApplicationRoutes,
};
