export { identitiesInBulk } from './identities-in-bulk.ts';
export {
  findLinkedUser,
  identityProven,
  identityUsed,
  issuersOf,
  type LinkedIdentityId,
  linkIdentity,
  listIdentities,
  unlinkIdentity,
  unlinkIssuer,
  usersOfIssuer,
} from './linked-identities.ts';
export { part } from './part.ts';
export { UpstreamIdentity, UpstreamProfile } from './upstream-identity.ts';
