import { expiredRowsOf, type Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { events } from './events.ts';
import { providerTestRoutes } from './providers.admin.ts';
import { socialRoutes } from './social.auth.ts';
import { removeUpstreamFlowsOf } from './social.ts';

export { exchangeCode, type ProvenAddress, requireFirstParty } from './exchange.ts';
export { sendToProvider } from './social.auth.ts';
export type { LinkRequired } from './social.ts';
export { linkingUrl, linkWithCode, linkWithToken, lookAtLinking, lookAtLinkToken } from './social-linking.ts';

export const part = {
  events,
  routes: {
    auth: socialRoutes,
    admin: providerTestRoutes,
  },
  removals: [rowsOfProject('upstream_flows')],
  cleanUps: { 'expired upstream flows': expiredRowsOf('upstream_flows') },
  endProofs: removeUpstreamFlowsOf,
} satisfies Part;
