export { accountRoutes } from './account.me.ts';
export { finishAddressChange, startAddressChange } from './address-changes.ts';
export { addressRoutes } from './addresses.me.ts';
export { challengeOf } from './bindings.ts';
export { browserOf, keepMark, newMark } from './browser-mark.ts';
export { requireOrigin, setSessionCookies, tokenCookie } from './cookies.auth.ts';
export { eraseUserTask, requestErasure } from './erasure.ts';
export { exchangeCode, type ProvenAddress, requireFirstParty } from './exchange.ts';
export { issueExchangeCode } from './exchange-codes.ts';
export { forgetDeadFlows, lookAtLink, resendFlow, withProof } from './flows.ts';
export { invitationAcceptanceRoutes } from './invitations.auth.ts';
export { linkedIdentityRoutes } from './linked-identities.me.ts';
export { memberCredentialRoutes } from './member-credentials.admin.ts';
export { methodRoutes } from './methods.auth.ts';
export { mfaEnrolmentRoutes, mfaRoutes } from './mfa.auth.ts';
export { enrolTotpFor, finishEnrolment, finishWithFactor, type MfaSession, newTotp, promptFactor } from './mfa.ts';
export { findChallenge, MfaChallenge } from './mfa-challenges.ts';
export { deviceOf } from './notices.ts';
export { voidProofsWithCredentials } from './open-proofs.ts';
export { ownData } from './own-data.ts';
export { addOwnPasskey, changeOwnPasskey, passkeyCreation } from './own-passkeys.ts';
export { passkeyLoginRoutes } from './passkey-login.auth.ts';
export { loginWithPasskey, PasskeyLogin, passkeyOptions } from './passkey-login.ts';
export { onePasskeyRoutes, passkeyRoutes } from './passkeys.me.ts';
export { passwordLoginRoutes } from './password-login.auth.ts';
export { loginWithPassword } from './password-login.ts';
export { passwordResetRoutes } from './password-reset.auth.ts';
export { forgotPassword, resetPassword } from './password-reset.ts';
export { passwordlessFinishRoutes, passwordlessRoutes } from './passwordless.auth.ts';
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
export { FlowId, OneTimeCode } from './proofs.ts';
export { providerTestRoutes } from './providers.admin.ts';
export { reauthenticationRoutes } from './reauthentication.auth.ts';
export { withQuery } from './redirects.ts';
export { registerRoutes } from './register.auth.ts';
export { register, registerInvited } from './register.ts';
export { authRemovals } from './removal.ts';
export { anonymousCtx, ctxFor, linkCtx, realmOfSecret, requireServed } from './scope.ts';
export { factorRoutes, oneSessionRoutes, ownSessionRoutes, securityRoutes, totpRoutes } from './security.me.ts';
export {
  changeOwnPassword,
  confirmOwnTotp,
  confirmPhoneFactor,
  forgetDevice,
  removeOwnFactor,
  renewRecoveryCodes,
  securityOf,
  startPhoneFactor,
} from './security.ts';
export { adminSessionRoutes } from './sessions.admin.ts';
export { sessionRoutes, switchContextRoutes } from './sessions.auth.ts';
export { logout } from './sessions.ts';
export { answerOf, type SignedIn, type SignInAnswer } from './sign-in.ts';
export { openMethods, removeIdentity, removeOwnPasskey } from './sign-in-methods.ts';
export { leave, socialRoutes } from './social.auth.ts';
export type { LinkRequired } from './social.ts';
export { linkingUrl, linkWithCode, linkWithToken, lookAtLinking, lookAtLinkToken } from './social-linking.ts';
export { COUNTERS } from './throttle.ts';
export { verificationRoutes } from './verification.auth.ts';
export { lookAtVerification, verifyAddress } from './verification.ts';
