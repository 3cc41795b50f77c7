export { exchangeCode, type ProvenAddress, requireFirstParty } from './exchange.ts';
export { federationPart } from './part.ts';
export { routes } from './routes.ts';
export { sendToProvider } from './social.auth.ts';
export { type LinkRequired, removeUpstreamFlowsOf } from './social.ts';
export { linkingUrl, linkWithCode, linkWithToken, lookAtLinking, lookAtLinkToken } from './social-linking.ts';
