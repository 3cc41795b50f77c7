export type { MayConnect } from './connection-changes.ts';
export { connectionSetUp } from './connection-set-up.ts';
export { type Connection, type ConnectionId, ConnectionRef, callbackPath, getConnection } from './connections.ts';
export { connectionNames, discoverConnection, hasConnections } from './discovery.ts';
export type { ConnectionKind } from './kinds.ts';
export { OidcConfiguration } from './oidc.ts';
export { part } from './part.ts';
export { connectionProofs, isConnection, type ThroughConnections } from './proofs-through-connections.ts';
export { published } from './published.ts';
export { fetchIdentityProvider, initiationState, samlOf } from './saml.ts';
export {
  connectionToTest,
  enabledConnection,
  enableForTest,
  holdConnection,
  type UsableConnection,
} from './usable-connections.ts';
