export {
  type AccessToken,
  InvalidTokenError,
  tokenVerifier,
  type Verifier,
  type VerifierOptions,
} from './access-tokens.ts';
export { allows, type Required } from './authorization.ts';
export type { DpopOptions, PresentedProof } from './dpop.ts';
export { type EndingsOptions, followEndings } from './endings.ts';
export { introspection, liveSession } from './liveness.ts';
export { type ManagementClient, managementTokens } from './management-tokens.ts';
