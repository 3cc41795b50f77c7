import { expiredRowsOf, type Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';
import { events } from './events.ts';
import { entriesOfProject, removeDeadSessions } from './removal.ts';

export const part = {
  events,
  removals: [entriesOfProject, rowsOfWorkspace('refresh_tokens'), rowsOfWorkspace('sessions')],
  cleanUps: { 'expired refresh tokens': expiredRowsOf('refresh_tokens'), removeDeadSessions },
} satisfies Part;
