import { mfaRoutes } from './mfa.auth.ts';

/** Everything that is served here, by surface. */
export const routes = {
  auth: mfaRoutes,
};
