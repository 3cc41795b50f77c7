import type { Part } from '#platform/part.ts';
import { accountRoutes } from './account.me.ts';
import { addressRoutes } from './addresses.me.ts';
import { eraseUserTask } from './erasure.task.ts';
import { linkedIdentityRoutes } from './linked-identities.me.ts';
import { memberAccountRoutes } from './member-account.admin.ts';
import { memberCredentialRoutes } from './member-credentials.admin.ts';
import { passkeyRoutes } from './passkeys.me.ts';
import { reauthenticationRoutes } from './reauthentication.auth.ts';
import { securityRoutes } from './security.me.ts';
import { adminSessionRoutes } from './sessions.admin.ts';

export const part = {
  routes: {
    auth: reauthenticationRoutes,
    me: [...accountRoutes, ...addressRoutes, ...linkedIdentityRoutes, ...passkeyRoutes, ...securityRoutes],
    admin: [...memberAccountRoutes, ...memberCredentialRoutes, ...adminSessionRoutes],
  },
  permissions: {
    'sessions:read': 'See sessions',
    'sessions:revoke': 'End sessions',
  },
  tasks: { erase_user: eraseUserTask },
} satisfies Part;
