import { emit } from '#events';
import { lockUser, scheduleErasure } from '#people';
import { type Ctx, customerOf, type TxCtx, transaction } from '#platform/ctx.ts';
import { announce } from '#platform/feed.ts';
import type { MemberId, UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { acrossProjects, at, inScope } from '#platform/scoped.ts';
import { revokeEntries, revokeSessions } from '#sessions';
import { requireAuthority } from './authority.ts';
import { keepAnOwner, lockOwnerRole } from './member-actions.ts';
import { lockMember } from './members.ts';

/**
 * Removes a member from the project.
 * @throws Problem NOT_FOUND, LAST_OWNER, AUTHORIZATION_DENIED for a member with more permissions than the actor
 */
export function removeMember(ctx: Ctx | TxCtx, memberId: MemberId): Promise<void> {
  return transaction(ctx, async (tx) => {
    const { userId } = await lockMember(tx, memberId);
    await requireAuthority(tx, 'member.remove', { userId });
    await removeMembership(tx, { memberId, userId }, 'member_removed');
  });
}

/**
 * The signed-in person leaves a project of the workspace. A blocked member can't leave, because leaving and joining
 * again would lift the block.
 * @throws Problem NOT_FOUND, LAST_OWNER, MEMBER_BLOCKED
 */
export async function leaveProject(ctx: Ctx, memberId: MemberId): Promise<void> {
  const { userId } = customerOf(ctx);
  const own = await ctx.db
    .selectFrom('members')
    .select('project_id as projectId')
    .where(acrossProjects(ctx))
    .where('user_id', '=', userId)
    .where('id', '=', memberId)
    .executeTakeFirst();
  if (!own) throw problem('NOT_FOUND');
  const there = at(ctx, { projectId: own.projectId });
  await transaction(there, async (tx) => {
    const { status } = await lockMember(tx, memberId);
    if (status === 'blocked') throw problem('MEMBER_BLOCKED');
    await removeMembership(tx, { memberId, userId }, 'member_left');
  });
}

/**
 * Removes a member. If the person is in no other project, the account is scheduled for erasure, which signing in or joining a
 * project cancels. The caller has locked the member. The other locks follow in the order that all transactions keep: the
 * user, the owner role, what the parts hold, the sessions, and their entries.
 */
async function removeMembership(
  tx: TxCtx,
  { memberId, userId }: { memberId: MemberId; userId: UserId },
  reason: string,
): Promise<void> {
  await lockUser(tx, userId);
  await lockOwnerRole(tx);
  await keepAnOwner(tx, memberId);
  for (const { leaving } of tx.system.parts) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await leaving?.(tx, { memberId, userId });
  }
  await tx.db.deleteFrom('members').where(inScope(tx)).where('id', '=', memberId).execute();
  const wasLast = !(await isMemberAnywhere(tx, userId));
  if (wasLast) await revokeSessions(tx, userId, 'all', reason);
  await revokeEntries(tx, { userId }, reason);
  await emit(tx, 'membership.deleted', { memberId, userId });
  await announce(tx, { topic: 'member', key: `${tx.scope.projectId}/${userId}` });
  if (wasLast) await scheduleErasure(tx, userId, 'in no project');
}

/** Served by members_of_user. */
async function isMemberAnywhere(tx: TxCtx, userId: UserId): Promise<boolean> {
  const row = await tx.db
    .selectFrom('members')
    .select('id')
    .where(acrossProjects(tx))
    .where('user_id', '=', userId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
