export {
  findLinkedUser,
  identityUsed,
  type LinkedIdentityId,
  linkIdentity,
  listIdentities,
  unlinkIdentity,
  unlinkSince,
} from './linked-identities.ts';
export { linkedIdentitiesPart } from './part.ts';
export { UpstreamIdentity } from './upstream-identity.ts';
