import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { sealedIn } from '#platform/sealed.ts';
import { events } from './events.ts';
import { metrics } from './metrics.ts';
import { streamActionRoutes } from './stream-actions.admin.ts';
import { streamRoutes } from './streams.admin.ts';
import { teamStreamRoutes } from './team-streams.console.ts';

export const part = {
  events,
  routes: {
    admin: [...streamRoutes, ...streamActionRoutes],
    console: teamStreamRoutes,
  },
  permissions: {
    'log-streams:read': 'See log streams, their lag and their faults',
    'log-streams:write': 'Send the audit log to other systems',
  },
  sealed: { 'log-stream-secret': sealedIn('log_streams', 'secret_sealed') },
  metrics,
  removals: [rowsOfProject('log_stream_faults'), rowsOfProject('log_streams')],
} satisfies Part;
