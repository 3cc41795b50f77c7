export { challengeResponse } from './acme.ts';
export { addressesOf, authAddressOf, boundAddresses, boundHost } from './bound-addresses.ts';
export { secureContextFor } from './certificates.ts';
export { lookUpProof, verifyDomain } from './domain-checks.ts';
export {
  claimDomain,
  Domain,
  deleteDomain,
  domainRecord,
  findDomain,
  listDomains,
  NewDomain,
  newProof,
  verificationOf,
} from './domains.ts';
export { hostNameFrom } from './host-names.ts';
export { part } from './part.ts';
export { absentColumns, findProof, provenColumns, recheckProofs } from './proofs.ts';
