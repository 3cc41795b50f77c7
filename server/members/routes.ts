import { adminAuthorizationRoutes } from './authorization.admin.ts';
import { authorizationRoutes } from './authorization.me.ts';
import { contextRoutes } from './context.me.ts';
import { provisioningRoutes } from './member-provisioning.admin.ts';
import { memberRoutes } from './members.admin.ts';
import { membershipRoutes } from './memberships.me.ts';
import { permissionRemovalRoutes } from './permission-removal.admin.ts';
import { roleRoutes } from './roles.admin.ts';
import { searchRoutes } from './search.console.ts';

/** Every route of this part, by surface. */
export const routes = {
  me: [...authorizationRoutes, ...contextRoutes, ...membershipRoutes],
  console: searchRoutes,
  admin: [
    ...adminAuthorizationRoutes,
    ...provisioningRoutes,
    ...memberRoutes,
    ...permissionRemovalRoutes,
    ...roleRoutes,
  ],
};
