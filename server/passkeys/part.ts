import { expiredRowsOf, type Part } from '#platform/part.ts';
import { rowsOfWorkspace, rowsSince } from '#platform/removal.ts';
import { events } from './events.ts';
import { removeChallengesOf } from './passkey-challenges.ts';

export const part = {
  events,
  removals: [rowsOfWorkspace('passkey_challenges'), rowsOfWorkspace('passkeys')],
  cleanUps: { 'expired passkey challenges': expiredRowsOf('passkey_challenges') },
  reclaim: rowsSince('passkeys', 'created_at'),
  endProofs: removeChallengesOf,
} satisfies Part;
