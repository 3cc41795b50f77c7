import { applicationRoutes } from './applications.admin.ts';
import { identityProviderRoutes } from './identity-providers.admin.ts';
import { registrationRoutes } from './registration.auth.ts';
import { registrationTokenRoutes } from './registration-tokens.admin.ts';

/** The routes of this part, by surface. */
export const routes = {
  auth: registrationRoutes,
  admin: [...applicationRoutes, ...identityProviderRoutes, ...registrationTokenRoutes],
};
