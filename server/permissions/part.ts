import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { events } from './events.ts';
import { permissionRoutes } from './permissions.admin.ts';

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
