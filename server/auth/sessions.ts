import { emit } from '#events';
import { findMember, memberSeen } from '#members';
import { type Ctx, customerOf, transaction } from '#platform/ctx.ts';
import type { ProjectId, WorkspaceId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { enterProject, issueRefreshToken, revokeSessions, type SessionAnswer, sessionAnswer } from '#sessions';

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
 * @throws Problem CONTEXT_NOT_ALLOWED, MEMBERSHIP_REQUIRED, MEMBER_BLOCKED, SESSION_REVOKED
 */
export async function switchContext(ctx: Ctx, target: Target): Promise<SessionAnswer> {
  const environment = target.environment === 'prod' ? 'production' : target.environment;
  if (target.workspaceId !== ctx.scope.workspaceId || environment !== ctx.scope.environment)
    throw problem('CONTEXT_NOT_ALLOWED');
  const { userId, sessionId } = customerOf(ctx);
  const there = { ...ctx, scope: { ...ctx.scope, projectId: target.projectId } };
  const { entry, refresh } = await transaction(there, async (tx) => {
    const member = await findMember(tx, userId);
    if (member?.status === 'blocked') throw problem('MEMBER_BLOCKED');
    if (member?.status !== 'active') throw problem('MEMBERSHIP_REQUIRED');
    await memberSeen(tx, userId);
    const entered = await enterProject(tx, sessionId, ctx.scope.projectId);
    return { entry: entered, refresh: await issueRefreshToken(tx, entered) };
  });
  return sessionAnswer(there, entry, refresh);
}
