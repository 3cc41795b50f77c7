export { signAccessToken, type VerifiedToken, verifyAccessToken } from './access-tokens.ts';
export { accessTokensPart } from './part.ts';
export { revokeTokens } from './revocations.ts';
