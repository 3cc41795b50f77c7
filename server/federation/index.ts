export { sendAway } from './browser-visits.ts';
export { connectionParty } from './connections.ts';
export { exchangeCode, type ProvenAddress, requireFirstParty } from './exchange.ts';
export { part } from './part.ts';
export { type LinkRequired, providerParty } from './social.ts';
export { linkingUrl, linkWithCode, linkWithToken, lookAtLinking, lookAtLinkToken } from './social-linking.ts';
export { startTestSignIn, testSignIn } from './test-sign-ins.ts';
