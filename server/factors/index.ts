export {
  addPhoneFactor,
  checkTotp,
  confirmTotp,
  enrolTotp,
  type FactorId,
  factorUsed,
  findFactor,
  findTotp,
  listFactors,
  removeAllFactors,
  removeFactor,
  withFactors,
} from './mfa-factors.ts';
export { factorsPart } from './part.ts';
export {
  enrolledSecondFactors,
  guardingSecondFactors,
  removeFactorsSince,
  type SecondFactor,
} from './second-factors.ts';
