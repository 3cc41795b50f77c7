export { part } from './part.ts';
export {
  newRecoveryCodes,
  recoveryCodesLeft,
  removeRecoveryCodes,
  useRecoveryCode,
} from './recovery-codes.ts';
