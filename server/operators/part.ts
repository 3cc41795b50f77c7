import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';
import { forgetDeadOperatorSessions } from './operator-sessions.ts';

export const operatorsPart = {
  removals: [rowsOfWorkspace('team_invitations'), rowsOfWorkspace('team_members')],
  cleanUps: { forgetDeadOperatorSessions },
} satisfies Part;
