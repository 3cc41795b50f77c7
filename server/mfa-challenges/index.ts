export {
  askForFactor,
  bindCode,
  countTry,
  endChallenges,
  findChallenge,
  MfaChallenge,
  MfaToken,
  type OpenChallenge,
  offeredFactors,
  requireNoFactorYet,
  spendChallenge,
} from './mfa-challenges.ts';
export { mfaChallengesPart } from './part.ts';
