import { sql } from 'kysely';
import { expiredRowsOf, type Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { sealedIn } from '#platform/sealed.ts';
import { connectionTestRoutes } from './connections.admin.ts';
import { connectionSignInRoutes } from './connections.auth.ts';
import { ownConnectionTestRoutes } from './connections.me.ts';
import { events } from './events.ts';
import { oidcKeyRoutes } from './oidc-keys.auth.ts';
import { providerTestRoutes } from './providers.admin.ts';
import { samlAdminRoutes } from './saml.admin.ts';
import { samlRoutes } from './saml.auth.ts';
import { samlLogoutRoutes } from './saml-logout.auth.ts';
import { socialRoutes } from './social.auth.ts';
import { removeUpstreamFlowsOf } from './upstream-flows.ts';

export const part = {
  events,
  routes: {
    auth: [...socialRoutes, ...connectionSignInRoutes, ...oidcKeyRoutes, ...samlRoutes, ...samlLogoutRoutes],
    me: ownConnectionTestRoutes,
    admin: [...providerTestRoutes, ...connectionTestRoutes, ...samlAdminRoutes],
  },
  sealed: {
    'upstream-flow': sealedIn('upstream_flows', 'sealed', sql`encode(state_hash, 'hex')`),
    'upstream-response': sealedIn('upstream_flows', 'response_sealed', sql`encode(state_hash, 'hex')`),
    'saml-last-response': sealedIn('saml_last_responses', 'sealed', sql.ref('connection_id')),
    'connection-test-sign-in': sealedIn('connection_test_sign_ins', 'sealed', sql.ref('id')),
    'link-ticket': 'browsers',
  },
  removals: [
    rowsOfProject('upstream_flows'),
    rowsOfProject('saml_assertions'),
    rowsOfProject('saml_last_responses'),
    rowsOfProject('connection_test_sign_ins'),
  ],
  cleanUps: {
    'expired upstream flows': expiredRowsOf('upstream_flows'),
    'used SAML assertions': expiredRowsOf('saml_assertions'),
    'old test sign-ins': expiredRowsOf('connection_test_sign_ins'),
    'last SAML responses': expiredRowsOf('saml_last_responses'),
  },
  endProofs: removeUpstreamFlowsOf,
} satisfies Part;
