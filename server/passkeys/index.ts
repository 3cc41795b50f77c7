export { part } from './part.ts';
export { CHALLENGE_SECONDS, type ChallengeId } from './passkey-challenges.ts';
export {
  changePasskey,
  clearSecondFactorPasskeys,
  listPasskeys,
  type PasskeyId,
  passkeysAsFactors,
  removePasskey,
} from './passkey-store.ts';
export {
  AuthenticationResponse,
  addPasskey,
  checkPasskey,
  type PasskeyResponse,
  passkeyCreationOptions,
  passkeyRequestOptions,
  RegistrationResponse,
  type RelyingParty,
  WebAuthnOptions,
} from './passkeys.ts';
