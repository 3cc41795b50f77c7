export {
  askForFactor,
  bindCode,
  countTry,
  findChallenge,
  MfaChallenge,
  MfaToken,
  type OpenChallenge,
  offeredFactors,
  requireNoFactorYet,
  spendChallenge,
} from './mfa-challenges.ts';
export { part } from './part.ts';
