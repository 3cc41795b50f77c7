import { expiredRowsOf, type Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { sealedIn } from '#platform/sealed.ts';
import { voidAddressChallengesOf } from './challenges-of-user.ts';
import { events } from './events.ts';

export const part = {
  events,
  sealed: { 'pending-registration': sealedIn('flows', 'pending_sealed') },
  removals: [rowsOfProject('flows')],
  cleanUps: { 'expired flows': expiredRowsOf('flows') },
  endProofs: voidAddressChallengesOf,
} satisfies Part;
