import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { events } from './events.ts';
import { permissionRoutes } from './permissions.admin.ts';

export { permissionsChanged } from './changes.ts';
export {
  allPermissionKeys,
  PermissionKey,
  permissionKeys,
  refuseBuiltIn,
  removePermission,
  requireKnownPermissions,
  requireOwnPermissions,
} from './permissions.ts';

export const part = {
  events,
  routes: {
    admin: permissionRoutes,
  },
  permissions: {
    'permissions:read': 'See permissions',
    'permissions:write': 'Add, change and remove permissions',
  },
  removals: [rowsOfProject('permissions')],
} satisfies Part;
