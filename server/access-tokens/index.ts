export {
  knownAccessToken,
  signAccessToken,
  type VerifiedToken,
  verifyAccessToken,
  versionedEntry,
} from './access-tokens.ts';
export { part } from './part.ts';
export { revokeTokens } from './revocations.ts';
