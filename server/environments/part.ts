import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { events } from './events.ts';
import { settingsRoutes } from './settings.admin.ts';

export const part = {
  events,
  routes: {
    admin: settingsRoutes,
  },
  permissions: {
    'settings:read': 'See settings',
    'settings:write': 'Change settings',
  },
  removals: [rowsOfProject('project_environments')],
} satisfies Part;
