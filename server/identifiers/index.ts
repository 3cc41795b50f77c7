import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';
import { removeIdentifiersSince } from './unproven.ts';

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
export { findSignInCandidate } from './sign-in-candidates.ts';
export { unprovenSince } from './unproven.ts';

export const part = {
  removals: [rowsOfWorkspace('identifiers')],
  reclaim: removeIdentifiersSince,
  imported: ['identifiers'],
} satisfies Part;
