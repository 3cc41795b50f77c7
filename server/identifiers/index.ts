export { oldAddresses } from './address-review.ts';
export {
  addIdentifier,
  addressesOf,
  findIdentifier,
  identifiersOf,
  markVerified,
  replaceIdentifier,
} from './identifiers.ts';
export { addIdentifiers, ownersOfIdentifiers } from './identifiers-in-bulk.ts';
export { part } from './part.ts';
export { findSignInCandidate } from './sign-in-candidates.ts';
export { unprovenSince } from './unproven.ts';
