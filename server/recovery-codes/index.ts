export { recoveryCodesPart } from './part.ts';
export {
  newRecoveryCodes,
  recoveryCodesLeft,
  removeRecoveryCodes,
  removeRecoveryCodesSince,
  useRecoveryCode,
} from './recovery-codes.ts';
