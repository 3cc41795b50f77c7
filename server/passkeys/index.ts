import { expiredRowsOf, type Part } from '#platform/part.ts';
import { rowsOfWorkspace, rowsSince } from '#platform/removal.ts';
import { events } from './events.ts';
import { removeChallengesOf } from './passkey-challenges.ts';

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

export const part = {
  events,
  removals: [rowsOfWorkspace('passkey_challenges'), rowsOfWorkspace('passkeys')],
  cleanUps: { 'expired passkey challenges': expiredRowsOf('passkey_challenges') },
  reclaim: rowsSince('passkeys', 'created_at'),
  endProofs: removeChallengesOf,
} satisfies Part;
