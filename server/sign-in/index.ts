export {
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
export { signInPart } from './part.ts';
export { loginWithPasskey, PasskeyLogin, passkeyOptions } from './passkey-login.ts';
export { loginWithPassword } from './password-login.ts';
export { changePassword, forgotPassword, resetPassword, startReset } from './password-reset.ts';
export {
  BegunAs,
  Destination,
  enterProven,
  finishPasswordless,
  type PasswordlessMethod,
  startPasswordless,
} from './passwordless.ts';
export { factorRemoved, firstCodes } from './recovery-codes.ts';
export { register, registerInvited } from './register.ts';
export { relyingPartyOf } from './relying-party.ts';
export { routes } from './routes.ts';
export { logout } from './sessions.ts';
export {
  answerOf,
  enterWithBoth,
  type SignedIn,
  SignInResponse,
  signIn,
  signInFields,
} from './sign-in.ts';
export { openMethods, removeIdentity, removeOwnPasskey } from './sign-in-methods.ts';
export { accountOf, UpstreamIdentity } from './upstream-identity.ts';
export { addressProven, lookAtVerification, verifyAddress } from './verification.ts';
export { Passage, requireMethod } from './ways.ts';
