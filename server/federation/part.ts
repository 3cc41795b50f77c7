import { sql } from 'kysely';
import { expiredRowsOf, type Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { sealedIn } from '#platform/sealed.ts';
import { connectionTestRoutes } from './connections.admin.ts';
import { connectionSignInRoutes } from './connections.auth.ts';
import { events } from './events.ts';
import { providerTestRoutes } from './providers.admin.ts';
import { socialRoutes } from './social.auth.ts';
import { removeUpstreamFlowsOf } from './upstream-flows.ts';

export const part = {
  events,
  routes: {
    auth: [...socialRoutes, ...connectionSignInRoutes],
    admin: [...providerTestRoutes, ...connectionTestRoutes],
  },
  sealed: {
    'upstream-flow': sealedIn('upstream_flows', 'sealed', sql`encode(state_hash, 'hex')`),
    'link-ticket': 'browsers',
  },
  removals: [rowsOfProject('upstream_flows')],
  cleanUps: { 'expired upstream flows': expiredRowsOf('upstream_flows') },
  endProofs: removeUpstreamFlowsOf,
} satisfies Part;
