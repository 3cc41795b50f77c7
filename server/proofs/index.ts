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
export { part } from './part.ts';
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
