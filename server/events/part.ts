import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { eventTypeRoutes } from './event-types.admin.ts';
import { feedRoutes } from './feed.admin.ts';
import { metrics } from './metrics.ts';

export const part = {
  routes: {
    admin: [...eventTypeRoutes, ...feedRoutes],
  },
  permissions: {
    'events:read': 'Read the event feed',
  },
  removals: [rowsOfProject('events'), rowsOfProject('event_sequences')],
  imported: ['events'],
  metrics,
} satisfies Part;
