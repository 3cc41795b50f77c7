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
export { voidOpenProofs, whenProofsEnd } from './open-proofs.ts';
export { factorsPart } from './part.ts';
export { newRecoveryCodes, recoveryCodesLeft, removeRecoveryCodes, useRecoveryCode } from './recovery-codes.ts';
export {
  type DeviceId,
  forgetDevices,
  isRemembered,
  listDevices,
  rememberDevice,
  useRememberedDevice,
} from './remembered-devices.ts';
export {
  enrolledSecondFactors,
  guardingSecondFactors,
  removeFactorsSince,
  type SecondFactor,
} from './second-factors.ts';
