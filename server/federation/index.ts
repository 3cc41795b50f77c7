export { exchangeCode, type ProvenAddress, requireFirstParty } from './exchange.ts';
export { federationPart } from './part.ts';
export { providerTestRoutes } from './providers.admin.ts';
export { leave, socialRoutes } from './social.auth.ts';
export { forgetUpstreamFlowsOf, type LinkRequired } from './social.ts';
export { linkingUrl, linkWithCode, linkWithToken, lookAtLinking, lookAtLinkToken } from './social-linking.ts';
