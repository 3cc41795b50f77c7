export { exchangeCode, type ProvenAddress, requireFirstParty } from './exchange.ts';
export { part } from './part.ts';
export { sendToProvider } from './social.auth.ts';
export type { LinkRequired } from './social.ts';
export { linkingUrl, linkWithCode, linkWithToken, lookAtLinking, lookAtLinkToken } from './social-linking.ts';
