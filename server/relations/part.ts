import { expiredRowsOf, type Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { adminCheckRoutes } from './checks.admin.ts';
import { ownCheckRoutes } from './checks.me.ts';
import { events } from './events.ts';
import { relationRoutes } from './relations.admin.ts';
import { resourceTypeRoutes } from './resource-types.admin.ts';

export const part = {
  events,
  permissions: {
    'relations:read': 'See relations to resources, and who may do what with a resource',
    'relations:write': 'Give and take any permission on any resource, by relations',
  },
  routes: {
    me: ownCheckRoutes,
    admin: [...adminCheckRoutes, ...resourceTypeRoutes, ...relationRoutes],
  },
  cleanUps: { deleteExpiredRelations: expiredRowsOf('resource_relations') },
  removals: [rowsOfProject('resource_relations'), rowsOfProject('resource_types', 'resource_type_permissions')],
} satisfies Part;
