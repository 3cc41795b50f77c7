import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { authorizationRoutes } from './authorization.me.ts';
import { contextRoutes } from './context.me.ts';
import { events } from './events.ts';
import { provisioningRoutes } from './member-provisioning.admin.ts';
import { memberRoutes } from './members.admin.ts';
import { membershipRoutes } from './memberships.me.ts';
import { permissionRemovalRoutes } from './permission-removal.admin.ts';
import { membersOfProject } from './removal.ts';
import { roleRoutes } from './roles.admin.ts';
import { searchRoutes } from './search.console.ts';

export const part = {
  events,
  routes: {
    me: [...authorizationRoutes, ...contextRoutes, ...membershipRoutes],
    console: searchRoutes,
    admin: [...provisioningRoutes, ...memberRoutes, ...permissionRemovalRoutes, ...roleRoutes],
  },
  permissions: {
    'members:read': 'See members',
    'members:write': 'Add, change, block and remove members',
    'roles:read': 'See roles',
    'roles:write': 'Add, change and remove roles',
  },
  removals: [membersOfProject, rowsOfProject('member_roles'), rowsOfProject('roles')],
  imported: ['members', 'member_roles'],
} satisfies Part;
