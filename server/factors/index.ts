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
export { part } from './part.ts';
export {
  enrolledSecondFactors,
  enrolledWith,
  guardingSecondFactors,
  type SecondFactor,
} from './second-factors.ts';
