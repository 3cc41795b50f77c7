import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';
import { entriesOfProject } from './removal.ts';
import { forgetDeadSessions, forgetDeadTokens } from './revocations.ts';

export const sessionsPart = {
  removals: [
    entriesOfProject,
    rowsOfWorkspace('refresh_tokens'),
    rowsOfWorkspace('revocations'),
    rowsOfWorkspace('sessions'),
  ],
  cleanUps: { forgetDeadTokens, forgetDeadSessions },
} satisfies Part;
