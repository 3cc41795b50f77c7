import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';
import { removeDeadOperatorSessions } from './operator-sessions.ts';

export const operatorsPart = {
  removals: [rowsOfWorkspace('team_invitations'), rowsOfWorkspace('team_members')],
  cleanUps: { removeDeadOperatorSessions },
} satisfies Part;
