export { SessionResponse, sessionResponse } from './answer.ts';
export { endDescended } from './descent.ts';
export { changeOrganizationSessions } from './organization-entries.ts';
export { part } from './part.ts';
export { provenMethods } from './proven-methods.ts';
export {
  beginSession,
  findRefreshToken,
  issueRefreshToken,
  rotateRefreshToken,
} from './refresh-tokens.ts';
export { removeSessionsOf } from './removal.ts';
export { endEverySession, revokeEntries, revokeSessions } from './revocation.ts';
export { sessionsOfProject, sessionsOfUser } from './session-lists.ts';
export {
  familiarityOf,
  familiarityWith,
  findEntry,
  findSession,
  type ProvenEntry,
} from './session-reading.ts';
export { enterProject, lockSession, raiseSession, secondFactorProven } from './sessions.ts';
