import { expiredRowsOf, type Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { events } from './events.ts';
import { endChallenges } from './mfa-challenges.ts';

export const part = {
  events,
  removals: [rowsOfProject('mfa_challenges')],
  cleanUps: { 'expired MFA challenges': expiredRowsOf('mfa_challenges') },
  endProofs: endChallenges,
} satisfies Part;
