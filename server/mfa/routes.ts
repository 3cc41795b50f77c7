import { mfaRoutes } from './mfa.auth.ts';

/** Every route of this part, by surface. */
export const routes = {
  auth: mfaRoutes,
};
