export { type VerifiedToken, verifyAccessToken } from './access-tokens.ts';
export { SessionAnswer, sessionAnswer } from './answer.ts';
export { findRefreshToken, issueRefreshToken, rotateRefreshToken } from './refresh-tokens.ts';
export { forgetDeadTokens, revokeSubject } from './revocations.ts';
export {
  enterProject,
  findSession,
  isKnownSource,
  revokeEntriesOfUser,
  revokeSessions,
  startSession,
} from './sessions.ts';
