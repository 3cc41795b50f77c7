export { mfaEnrolmentRoutes, mfaRoutes } from './mfa.auth.ts';
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
  withMfa,
} from './mfa.ts';
