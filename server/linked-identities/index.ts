export {
  findLinkedUser,
  identityUsed,
  type LinkedIdentityId,
  linkIdentity,
  listIdentities,
  type UpstreamAccount,
  unlinkIdentity,
  unlinkSince,
} from './linked-identities.ts';
export { linkedIdentitiesPart } from './part.ts';
