import { expiredRowsOf, type Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { voidAddressChallengesOf } from './challenges-of-user.ts';
import { events } from './events.ts';

export {
  AddressChallengeStarted,
  hintOf,
  lookAtLink,
  type NewAddressChallenge,
  openAddressChallenge,
  type ProvenAddressChallenge,
  projectOfLink,
  requireProvable,
  resendAddressChallenge,
  startAddressChallenge,
  withProof,
} from './address-challenges.ts';
export type { Purpose } from './challenge-messages.ts';
export { addressChallengesOf, removeAddressChallengesOf } from './challenges-of-user.ts';
export {
  AddressChallengeId,
  digitsOf,
  type LinkProof,
  OneTimeCode,
  type Proof,
  proofFields,
  proofOf,
} from './proofs.ts';
export { VerificationChallenge, verificationChallenge } from './verification-challenge.ts';

export const part = {
  events,
  removals: [rowsOfProject('flows')],
  cleanUps: { 'expired flows': expiredRowsOf('flows') },
  endProofs: voidAddressChallengesOf,
} satisfies Part;
