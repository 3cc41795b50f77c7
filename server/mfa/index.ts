export {
  checkFactor,
  enrolTotpFor,
  factorFields,
  finishEnrolment,
  finishWithFactor,
  type MfaSession,
  newTotp,
  promptFactor,
  wayOf,
} from './mfa.ts';
export { part } from './part.ts';
