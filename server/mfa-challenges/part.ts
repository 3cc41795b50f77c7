import { expiredRowsOf, type Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';

export const mfaChallengesPart = {
  removals: [rowsOfProject('mfa_challenges')],
  cleanUps: { 'expired MFA challenges': expiredRowsOf('mfa_challenges') },
} satisfies Part;
