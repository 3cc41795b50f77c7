export { CHALLENGE_SECONDS, type ChallengeId, forgetChallengesOf, forgetDeadChallenges } from './passkey-challenges.ts';
export {
  changePasskey,
  clearSecondFactorPasskeys,
  listPasskeys,
  type PasskeyId,
  removePasskey,
} from './passkey-store.ts';
export {
  AuthenticationResponse,
  addPasskey,
  checkPasskey,
  type PasskeyAnswer,
  passkeyCreationOptions,
  passkeyRequestOptions,
  RegistrationResponse,
  type RelyingParty,
  WebAuthnOptions,
} from './passkeys.ts';
