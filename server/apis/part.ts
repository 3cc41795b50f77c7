import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { apiRoutes } from './apis.admin.ts';
import { events } from './events.ts';

export const part = {
  events,
  routes: { admin: apiRoutes },
  permissions: {
    'apis:read': 'See APIs',
    'apis:write': 'Add, change and remove APIs, and let machines use them',
  },
  removals: [rowsOfProject('apis')],
} satisfies Part;
