export { oldAddresses } from './address-review.ts';
export {
  addIdentifier,
  addressesOf,
  findIdentifier,
  identifiersOf,
  markVerified,
  replaceIdentifier,
} from './identifiers.ts';
export { addIdentifiers, analyseIdentifiers, ownersOfIdentifiers } from './identifiers-in-bulk.ts';
export { identifiersPart } from './part.ts';
export { findSignInCandidate } from './sign-in-candidates.ts';
export { removeIdentifiersSince, unprovenSince } from './unproven.ts';
