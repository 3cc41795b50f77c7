import { emit } from '#events';
import { memberSeen } from '#members';
import { type Ctx, customerOf, type TxCtx, transaction } from '#platform/ctx.ts';
import type { ProjectId, SessionId, UserId, WorkspaceId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import {
  enterProject,
  issueRefreshToken,
  liveEntry,
  revokeSessions,
  type SessionAnswer,
  sessionAnswer,
} from '#sessions';
import { isClosed, projectOf } from '#tenancy';
import { requireActiveMember } from './sign-in.ts';

/** Signs out this session, or every session of the person. */
export async function logout(ctx: Ctx, everywhere: boolean): Promise<void> {
  const { userId, sessionId } = customerOf(ctx);
  await transaction(ctx, async (tx) => {
    await revokeSessions(tx, userId, everywhere ? 'all' : { only: sessionId }, 'logout');
    await emit(tx, 'user.logout', { userId, everywhere });
  });
}

/** A project to enter, as the caller names it. */
export type Target = { workspaceId: WorkspaceId; projectId: ProjectId; environment: 'test' | 'production' | 'prod' };

/**
 * Takes the session into another project of its workspace and environment. Membership is checked now; the authentication level
 * stays what it was (SE-7).
 * @throws Problem CONTEXT_NOT_ALLOWED, MEMBERSHIP_REQUIRED, MEMBER_BLOCKED, SESSION_REVOKED, REAUTHENTICATION_REQUIRED
 */
export async function switchContext(ctx: Ctx, target: Target): Promise<SessionAnswer> {
  const environment = target.environment === 'prod' ? 'production' : target.environment;
  if (target.workspaceId !== ctx.scope.workspaceId || environment !== ctx.scope.environment)
    throw problem('CONTEXT_NOT_ALLOWED');
  const there = { ...ctx, scope: { ...ctx.scope, projectId: target.projectId } };
  if (await isClosed(ctx.system, there.scope)) throw problem('MEMBERSHIP_REQUIRED');
  const { entry, refresh } = await transaction(there, (tx) =>
    enterWithSession(tx, { ...customerOf(ctx), fromProjectId: ctx.scope.projectId }),
  );
  return sessionAnswer(there, entry, refresh);
}

/**
 * Takes a session into `tx.scope`'s project. One factor does not open a project that requires two, unless the session is in
 * it already.
 * @throws Problem MEMBERSHIP_REQUIRED, MEMBER_BLOCKED, SESSION_REVOKED, REAUTHENTICATION_REQUIRED
 */
export async function enterWithSession(
  tx: TxCtx,
  { userId, sessionId, fromProjectId }: { userId: UserId; sessionId: SessionId; fromProjectId: ProjectId },
) {
  await requireActiveMember(tx, userId);
  await memberSeen(tx, userId);
  const { settings } = await projectOf(tx.system, tx.scope);
  const newHere = settings.mfa === 'required' && (await liveEntry(tx, sessionId)) === undefined;
  const entry = await enterProject(tx, sessionId, fromProjectId);
  if (newHere && entry.acr === 'aal1')
    throw problem(
      'REAUTHENTICATION_REQUIRED',
      'The project requires a second factor. Prove one with POST /v1/auth/reauthenticate, then switch.',
    );
  return { entry, refresh: await issueRefreshToken(tx, entry) };
}
