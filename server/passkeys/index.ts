export { passkeysPart } from './part.ts';
export { CHALLENGE_SECONDS, type ChallengeId, removeChallengesOf } from './passkey-challenges.ts';
export {
  changePasskey,
  clearSecondFactorPasskeys,
  listPasskeys,
  type PasskeyId,
  passkeysAsFactors,
  removePasskey,
  removePasskeysSince,
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
