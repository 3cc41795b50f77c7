export {
  bindCode,
  countTry,
  endChallenges,
  type FirstFactor,
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
  emailCode,
  enterProven,
  finishPasswordless,
  magicLink,
  type Passwordless,
  phoneCode,
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
  requireMethod,
  type SignedIn,
  SignInAnswer,
  signIn,
  signInFields,
} from './sign-in.ts';
export { openMethods, removeIdentity, removeOwnPasskey } from './sign-in-methods.ts';
export { accountOf, UpstreamIdentity } from './upstream-identity.ts';
export { addressProven, lookAtVerification, verifyAddress } from './verification.ts';
