export { SessionResponse, sessionResponse } from './answer.ts';
export { endDescended } from './descent.ts';
export { changeOrganizationSessions } from './organization-entries.ts';
export { part } from './part.ts';
export { provenMethods } from './proven-methods.ts';
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
