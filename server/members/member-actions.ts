import { sql } from 'kysely';
import { emit } from '#events';
import { holdUser, usersAwaitingErasure } from '#people';
import { permissionsChanged } from '#permissions';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { MemberId, RoleId, UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { acrossProjects, at, inScope } from '#platform/scoped.ts';
import { revokeEntries, revokeSessions } from '#sessions';
import { OWNER } from './access.ts';
import { isAccountInReach, requireAuthority } from './authority.ts';
import { changeMember, insertRoles, type Member, type MemberStatus } from './members.ts';
import { lockRoles } from './roles.ts';

/** Who blocks or unblocks a member. */
type Blocker = 'administrator' | 'directory';

/**
 * Blocks a member: its scope entries end at once and it can't enter the project again until unblocked. An
 * administrator's block replaces a directory's.
 * @throws Problem NOT_FOUND, LAST_OWNER, AUTHORIZATION_DENIED for a member with more permissions than the actor
 */
export function blockMember(ctx: Ctx | TxCtx, memberId: MemberId, by: Blocker = 'administrator'): Promise<Member> {
  return withOwners(ctx, memberId, async (tx, member) => {
    await requireAuthority(tx, 'member.block', member);
    if (member.status === 'blocked') {
      if (by === 'administrator' && member.blockedByDirectory) await setStatus(tx, memberId, 'blocked', by);
      return;
    }
    await keepAnOwner(tx, memberId);
    await setStatus(tx, memberId, 'blocked', by);
    await revokeEntries(tx, { userId: member.userId }, 'member_blocked');
    await emit(tx, 'membership.blocked', { memberId, userId: member.userId });
  });
}

/**
 * Lets a blocked member in again; ended entries stay ended. A directory does not lift the block of an administrator.
 * @throws Problem NOT_FOUND, AUTHORIZATION_DENIED
 */
export function unblockMember(ctx: Ctx | TxCtx, memberId: MemberId, by: Blocker = 'administrator'): Promise<Member> {
  return changeMember(ctx, memberId, async (tx, member) => {
    await requireAuthority(tx, 'member.unblock', member);
    if (member.status !== 'blocked' || (by === 'directory' && !member.blockedByDirectory)) return;
    await setStatus(tx, memberId, 'active', by);
    await emit(tx, 'membership.unblocked', { memberId, userId: member.userId });
  });
}

/**
 * Replaces a member's roles; takes effect on the next request.
 * @throws Problem NOT_FOUND, LAST_OWNER, VALIDATION_FAILED for an unknown role, AUTHORIZATION_DENIED for a role that
 * grants more than the actor has, and for a member with more permissions than the actor
 */
export function setMemberRoles(ctx: Ctx, memberId: MemberId, keys: readonly string[]): Promise<Member> {
  return withOwners(ctx, memberId, async (tx, member) => {
    const roles = await lockRoles(tx, keys, 'refuse');
    const grants = roles.flatMap((role) => role.permissions);
    await requireAuthority(tx, 'member.roles.replace', { userId: member.userId, grants });
    if (!keys.includes(OWNER)) await keepAnOwner(tx, memberId);
    const roleIds = roles.map((role) => role.id);
    await tx.db
      .deleteFrom('member_roles')
      .where(inScope(tx))
      .where('member_id', '=', memberId)
      .where('role_id', '!=', sql<RoleId>`all(${roleIds})`)
      .execute();
    if (roleIds.length > 0) await insertRoles(tx, { memberId, userId: member.userId }, roleIds);
    await emit(tx, 'membership.roles.changed', {
      memberId,
      userId: member.userId,
      roles: roles.map((role) => role.key).sort(),
    });
    await permissionsChanged(tx, { userId: member.userId }, 'roles_changed');
  });
}

/**
 * Ends the sessions of a member's person: everywhere if the project manages their account, otherwise only in this
 * project.
 * @throws Problem NOT_FOUND
 */
export async function revokeMemberSessions(ctx: Ctx, memberId: MemberId): Promise<{ revoked: number }> {
  let revoked = 0;
  await changeMember(ctx, memberId, async (tx, { userId }) => {
    await requireAuthority(tx, 'member.sessions.end', { userId });
    revoked = (await isAccountInReach(tx, userId))
      ? await revokeSessions(tx, userId, 'all', 'admin')
      : await revokeEntries(tx, { userId }, 'admin');
  });
  return { revoked };
}

/**
 * Serialises changes that could remove the last owner, by locking the row of the owner role. The user is locked before, as
 * in every transaction: otherwise this and an erasure, which locks the user, could wait for each other.
 */
function withOwners(ctx: Ctx | TxCtx, memberId: MemberId, change: Parameters<typeof changeMember>[2]): Promise<Member> {
  return changeMember(ctx, memberId, async (tx, member) => {
    await holdUser(tx, member.userId);
    await lockOwnerRole(tx);
    await change(tx, member);
  });
}

export async function lockOwnerRole(tx: TxCtx): Promise<void> {
  await tx.db.selectFrom('roles').select('id').where(inScope(tx)).where('key', '=', OWNER).forUpdate().execute();
}

/** @throws Problem LAST_OWNER when this member is the only active owner who is not awaitingErasure */
export async function keepAnOwner(tx: TxCtx, memberId: MemberId): Promise<void> {
  const owners = await ownersOf(tx).select(['m.id', 'm.user_id as userId']).execute();
  const awaitingErasure = await usersAwaitingErasure(
    tx,
    owners.map(({ userId }) => userId),
  );
  const isOwner = owners.some(({ id }) => id === memberId);
  const others = owners.some(({ id, userId }) => id !== memberId && !awaitingErasure.has(userId));
  if (isOwner && !others) throw problem('LAST_OWNER');
}

/**
 * Checks that every project a person owns keeps another owner. Serialises changes that could remove the last one.
 * @throws Problem LAST_OWNER
 */
export async function keepOwnersWithout(tx: TxCtx, userId: UserId): Promise<void> {
  const memberships = await tx.db
    .selectFrom('members')
    .select(['id', 'project_id as projectId'])
    .where(acrossProjects(tx))
    .where('user_id', '=', userId)
    .orderBy('project_id')
    .execute();
  for (const { id, projectId } of memberships) {
    const inProject = at(tx, { projectId });
    // biome-ignore lint/performance/noAwaitInLoops: locked in a fixed order, so that two people who go at once can't deadlock
    await lockOwnerRole(inProject);
    await keepAnOwner(inProject, id);
  }
}

/** The owners of the project who are not blocked. */
export async function activeOwners(tx: TxCtx): Promise<UserId[]> {
  return (await ownersOf(tx).select('m.user_id').execute()).map((owner) => owner.user_id);
}

/** Served by member_roles_of_role. */
function ownersOf(tx: TxCtx) {
  return tx.db
    .selectFrom('roles as r')
    .innerJoin('member_roles as mr', (join) =>
      join
        .onRef('mr.workspace_id', '=', 'r.workspace_id')
        .onRef('mr.project_id', '=', 'r.project_id')
        .onRef('mr.environment', '=', 'r.environment')
        .onRef('mr.role_id', '=', 'r.id'),
    )
    .innerJoin('members as m', (join) =>
      join
        .onRef('m.workspace_id', '=', 'mr.workspace_id')
        .onRef('m.project_id', '=', 'mr.project_id')
        .onRef('m.environment', '=', 'mr.environment')
        .onRef('m.id', '=', 'mr.member_id'),
    )
    .where(inScope(tx, 'r'))
    .where('r.key', '=', OWNER)
    .where('m.status', '=', 'active');
}

async function setStatus(tx: TxCtx, memberId: MemberId, status: MemberStatus, by: Blocker): Promise<void> {
  await tx.db
    .updateTable('members')
    .set({ status, blocked_by_directory: status === 'blocked' && by === 'directory' })
    .where(inScope(tx))
    .where('id', '=', memberId)
    .execute();
}
