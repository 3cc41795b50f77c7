import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';
import { forgetDeadChallenges } from './passkey-challenges.ts';

export const passkeysPart = {
  removals: [rowsOfWorkspace('passkey_challenges'), rowsOfWorkspace('passkeys')],
  cleanUps: { forgetDeadChallenges },
} satisfies Part;
