import { expiredRowsOf, type Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';
import { events } from './events.ts';
import { entriesOfProject, removeDeadSessions } from './removal.ts';

export { SessionResponse, sessionResponse } from './answer.ts';
export { endDescended } from './descent.ts';
export { findRefreshToken, type IssuedSession, issueRefreshToken, rotateRefreshToken } from './refresh-tokens.ts';
export { removeSessionsOf } from './removal.ts';
export { sessionsOfProject, sessionsOfUser } from './session-lists.ts';
export { familiarityOf, findEntry, findSession, type ProvenEntry } from './session-reading.ts';
export {
  endEverySession,
  enterProject,
  lockSession,
  raiseSession,
  revokeEntries,
  revokeSessions,
  secondFactorProven,
  startSession,
} from './sessions.ts';

export const part = {
  events,
  removals: [entriesOfProject, rowsOfWorkspace('refresh_tokens'), rowsOfWorkspace('sessions')],
  cleanUps: { 'expired refresh tokens': expiredRowsOf('refresh_tokens'), removeDeadSessions },
} satisfies Part;
