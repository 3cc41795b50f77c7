import { accountRoutes } from './account.me.ts';
import { addressRoutes } from './addresses.me.ts';
import { linkedIdentityRoutes } from './linked-identities.me.ts';
import { memberCredentialRoutes } from './member-credentials.admin.ts';
import { passkeyRoutes } from './passkeys.me.ts';
import { reauthenticationRoutes } from './reauthentication.auth.ts';
import { securityRoutes } from './security.me.ts';
import { adminSessionRoutes } from './sessions.admin.ts';

/** Every route of this part, by surface. */
export const routes = {
  auth: reauthenticationRoutes,
  me: [...accountRoutes, ...addressRoutes, ...linkedIdentityRoutes, ...passkeyRoutes, ...securityRoutes],
  admin: [...memberCredentialRoutes, ...adminSessionRoutes],
};
