export { openMethods } from './open-methods.ts';
export { part } from './part.ts';
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
export { register, registerInvited } from './register.ts';
export { logout } from './sessions.ts';
export { addressProven, lookAtVerification, verifyAddress } from './verification.ts';
