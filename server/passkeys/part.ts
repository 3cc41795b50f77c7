import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';
import { removeDeadChallenges } from './passkey-challenges.ts';

export const passkeysPart = {
  removals: [rowsOfWorkspace('passkey_challenges'), rowsOfWorkspace('passkeys')],
  cleanUps: { removeDeadChallenges },
} satisfies Part;
