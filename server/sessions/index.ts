export { SessionResponse, sessionResponse } from './answer.ts';
export { ENDED_BY, endWithCredentials } from './credential-changes.ts';
export { endDescended } from './descent.ts';
export { type EndedSessions, type Obtained, whenDescending, whenSessionsEnd } from './endings.ts';
export { sessionsPart } from './part.ts';
export { findRefreshToken, type IssuedRefreshToken, issueRefreshToken, rotateRefreshToken } from './refresh-tokens.ts';
export { removeSessionsOf } from './removal.ts';
export {
  familiarityOf,
  findSession,
  isKnownSource,
  type ListedSession,
  listSessions,
  liveEntry,
  type ProjectSession,
  type ProvenEntry,
  provenEntry,
  reauthenticationRequired,
  requireFreshProof,
  sessionHistory,
  sessionProof,
  sessionsOfProject,
} from './session-reading.ts';
export {
  endEverySession,
  enterProject,
  noteAdmission,
  raiseSession,
  revokeEntries,
  revokeSessions,
  type ScopeEntry,
  type SessionProof,
  secondFactorProven,
  startSession,
} from './sessions.ts';
