import type { Selectable } from 'kysely';
import { type Static, Type } from 'typebox';
import { emit } from '#events';
import { holdUser, lockUsers, usersAwaitingErasure, usersById } from '#people';
import { permissionsChanged } from '#permissions';
import { type Ctx, operatorOf, type TxCtx, transaction } from '#platform/ctx.ts';
import type { ReadDb } from '#platform/db.ts';
import { type Id, IdSchema, newId, type UserId, type WorkspaceId } from '#platform/ids.ts';
import { newestFirst, type Page, type PageQuery } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';
import { Instant } from '#platform/schemas.ts';
import { at, inWorkspace } from '#platform/scoped.ts';
import type { System } from '#platform/system.ts';
import { workspaceScope } from './edge.ts';
import { installationOf } from './installation.ts';
import { amongOperators } from './operators.ts';
import { isGivenByOwners, permissionsOfTeamRole, TeamRole } from './team-roles.ts';

export type TeamMemberId = Id<'tmb'>;

type TeamMembersTable = {
  workspace_id: WorkspaceId;
  id: TeamMemberId;
  user_id: UserId;
  role: TeamRole;
  created_at: Date;
  updated_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    team_members: TeamMembersTable;
  }
}

const nullableText = Type.Union([Type.String(), Type.Null()]);

/** An operator of one workspace. */
export const TeamMember = Type.Object(
  {
    id: IdSchema('tmb'),
    userId: IdSchema('usr'),
    email: nullableText,
    displayName: nullableText,
    role: TeamRole,
    you: Type.Boolean(),
    createdAt: Instant,
  },
  { title: 'TeamMember' },
);
type TeamMember = Static<typeof TeamMember>;

export const TeamMemberRef = Type.Object({ teamMemberId: IdSchema('tmb') });
export const TeamRoleChange = Type.Object({ role: TeamRole }, { additionalProperties: false });

type Row = Selectable<TeamMembersTable>;

async function recordsOf(ctx: Ctx | TxCtx, rows: readonly Row[]): Promise<TeamMember[]> {
  const { scope } = installationOf(ctx.system);
  const people = await usersById(
    { db: ctx.db, scope },
    rows.map((row) => row.user_id),
  );
  return rows.map((row) => ({
    id: row.id,
    userId: row.user_id,
    email: people.get(row.user_id)?.email ?? null,
    displayName: people.get(row.user_id)?.displayName ?? null,
    role: row.role,
    you: ctx.actor.kind === 'operator' && ctx.actor.userId === row.user_id,
    createdAt: row.created_at.toISOString(),
  }));
}

/** The team, newest first. Served by the primary key. */
export async function listTeam(ctx: Ctx, { limit, cursor }: Static<typeof PageQuery>): Promise<Page<TeamMember>> {
  const rows = ctx.db.selectFrom('team_members').selectAll().where(inWorkspace(ctx));
  const page = await newestFirst(ctx, rows, { list: 'team', limit, cursor });
  return { items: await recordsOf(ctx, page.rows), nextCursor: page.nextCursor };
}

/** @throws Problem NOT_FOUND */
export async function getTeamMember(ctx: Ctx | TxCtx, id: TeamMemberId): Promise<TeamMember> {
  const rows = await ctx.db
    .selectFrom('team_members')
    .selectAll()
    .where(inWorkspace(ctx))
    .where('id', '=', id)
    .execute();
  const [record] = await recordsOf(ctx, rows);
  if (!record) throw problem('NOT_FOUND');
  return record;
}

/**
 * Adds a user to the team; a team member keeps their role.
 * @returns whether they were added
 */
export async function addTeamMember(tx: TxCtx, userId: UserId, role: TeamRole): Promise<boolean> {
  const id = newId('tmb', tx.now);
  const added = await tx.db
    .insertInto('team_members')
    .values({
      workspace_id: tx.scope.workspaceId,
      id,
      user_id: userId,
      role,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .onConflict((conflict) => conflict.columns(['user_id', 'workspace_id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (added) await emit(tx, 'team.member.added', { teamMemberId: id, userId, role });
  return added !== undefined;
}

/**
 * Changes a team member's role. Only owners can grant or take what {@link isGivenByOwners}.
 * @throws Problem NOT_FOUND, LAST_OWNER, AUTHORIZATION_DENIED
 */
export function changeTeamMember(ctx: Ctx, id: TeamMemberId, role: TeamRole): Promise<TeamMember> {
  return transaction(ctx, async (tx) => {
    const { row, owners } = await lock(tx, id);
    if (row.role === role) return getTeamMember(tx, id);
    requireOwner(tx, owners, isGivenByOwners(tx.system, row.role) || isGivenByOwners(tx.system, role));
    if (row.role === 'owner') await keepAnOwner(tx, owners, row.user_id);
    await tx.db
      .updateTable('team_members')
      .set({ role, updated_at: tx.now })
      .where(inWorkspace(tx))
      .where('id', '=', id)
      .execute();
    await emit(tx, 'team.member.changed', { teamMemberId: id, userId: row.user_id, role });
    await permissionsChanged(tx, { userId: row.user_id }, 'team_changed');
    return getTeamMember(tx, id);
  });
}

/**
 * Removes a member from the team; takes effect on their next request.
 * @throws Problem NOT_FOUND, LAST_OWNER, AUTHORIZATION_DENIED
 */
export async function removeTeamMember(ctx: Ctx, id: TeamMemberId): Promise<void> {
  await transaction(ctx, async (tx) => {
    const { row, owners } = await lock(tx, id);
    requireOwner(tx, owners, isGivenByOwners(tx.system, row.role));
    if (row.role === 'owner') await keepAnOwner(tx, owners, row.user_id);
    await tx.db.deleteFrom('team_members').where(inWorkspace(tx)).where('id', '=', id).execute();
    await emit(tx, 'team.member.removed', { teamMemberId: id, userId: row.user_id, role: row.role });
    await permissionsChanged(tx, { userId: row.user_id }, 'team_changed');
  });
}

/**
 * Serialises changes of a team by locking the rows of its owners, so that two owners can't remove each other at once.
 * Waits for what is being done with the role: see {@link lockRoleOf}.
 * @throws Problem NOT_FOUND
 */
async function lock(tx: TxCtx, id: TeamMemberId): Promise<{ row: Row; owners: UserId[] }> {
  const { userId } = await getTeamMember(tx, id);
  await lockUsers(amongOperators(tx), [userId]);
  const owners = await lockOwners(tx);
  const row = await tx.db
    .selectFrom('team_members')
    .selectAll()
    .where(inWorkspace(tx))
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw problem('NOT_FOUND');
  return { row, owners };
}

async function lockOwners(tx: TxCtx): Promise<UserId[]> {
  const owners = await tx.db
    .selectFrom('team_members')
    .selectAll()
    .where(inWorkspace(tx))
    .where('role', '=', 'owner')
    .orderBy('id')
    .forUpdate()
    .execute();
  return owners.map((owner) => owner.user_id);
}

/** @throws Problem LAST_OWNER if the workspace would have no owner left */
async function keepAnOwner(tx: TxCtx, owners: readonly UserId[], goes: UserId): Promise<void> {
  const { scope } = installationOf(tx.system);
  const awaitingErasure = await usersAwaitingErasure({ db: tx.db, scope }, owners);
  if (owners.every((owner) => owner === goes || awaitingErasure.has(owner)))
    throw problem('LAST_OWNER', 'Make another team member an owner first.');
}

function requireOwner(tx: TxCtx, owners: readonly UserId[], isNeeded: boolean): void {
  if (!isNeeded || owners.includes(operatorOf(tx).userId)) return;
  throw problem('AUTHORIZATION_DENIED', {
    detail: 'Only an owner can grant or take this role.',
    extensions: { requiredPermission: 'team:write' },
  });
}

/**
 * Only owners can invite to a role that only owners can grant.
 * @throws Problem AUTHORIZATION_DENIED
 */
export async function requireToInvite(tx: TxCtx, role: TeamRole): Promise<void> {
  if (isGivenByOwners(tx.system, role)) requireOwner(tx, await ownersOf(tx), true);
}

/** Whether the inviter could still invite to this role. Locks their role until the transaction ends. */
export async function couldStillInvite(tx: TxCtx, inviter: UserId | null, role: TeamRole): Promise<boolean> {
  const own = inviter === null ? null : await lockRoleOf(tx, inviter);
  const kind = { builtIn: tx.scope.workspaceId === installationOf(tx.system).scope.workspaceId };
  if (!permissionsOfTeamRole(tx.system, own, kind).includes('team:write')) return false;
  return !isGivenByOwners(tx.system, role) || own === 'owner';
}

/**
 * A user's role in the team, which stays until the transaction ends; null: not in the team. It holds the user, whom a change of
 * roles locks: a shared lock of the row would be one on every server of a divided installation, and two at once a deadlock.
 */
export async function lockRoleOf(tx: TxCtx, userId: UserId): Promise<TeamRole | null> {
  await holdUser(amongOperators(tx), userId);
  return roleOf(tx, userId);
}

/** A user's role in the team; null: not in the team. Served by team_members_of_user. */
export async function roleOf(tx: TxCtx, userId: UserId): Promise<TeamRole | null> {
  const row = await tx.db
    .selectFrom('team_members')
    .select('role')
    .where(inWorkspace(tx))
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.role ?? null;
}

/** The owners of the workspace. */
export async function ownersOf(tx: TxCtx): Promise<UserId[]> {
  const owners = await tx.db
    .selectFrom('team_members')
    .selectAll()
    .where(inWorkspace(tx))
    .where('role', '=', 'owner')
    .orderBy('id')
    .execute();
  return owners.map((owner) => owner.user_id);
}

/** The addresses and roles of a team. Served by the primary key. */
export async function teamContacts(
  system: System,
  workspaceId: WorkspaceId,
): Promise<{ email: string; role: TeamRole }[]> {
  const rows = await system.db.selectFrom('team_members').selectAll().where('workspace_id', '=', workspaceId).execute();
  const ids = rows.map((row) => row.user_id);
  const people = await usersById({ db: system.db, scope: installationOf(system).scope }, ids);
  return rows.flatMap(({ user_id, role }) => {
    const email = people.get(user_id)?.email;
    return email ? [{ email, role }] : [];
  });
}

/** The workspaces whose team a user is in, with their role. Served by team_members_of_user. */
export async function teamsOf({ db }: { db: ReadDb }, userId: UserId): Promise<Map<WorkspaceId, TeamRole>> {
  const rows = await db
    .selectFrom('team_members')
    .select(['workspace_id', 'role'])
    .where('user_id', '=', userId)
    .execute();
  return new Map(rows.map((row) => [row.workspace_id, row.role]));
}

/** Makes a user an owner, whatever their role was. */
export async function makeOwner(tx: TxCtx, userId: UserId): Promise<void> {
  if (await addTeamMember(tx, userId, 'owner')) return;
  const changed = await tx.db
    .updateTable('team_members')
    .set({ role: 'owner', updated_at: tx.now })
    .where(inWorkspace(tx))
    .where('user_id', '=', userId)
    .where('role', '!=', 'owner')
    .returning('id')
    .executeTakeFirst();
  if (changed) await emit(tx, 'team.member.changed', { teamMemberId: changed.id, userId, role: 'owner' });
}

/** Whether a user is in the team of `tx.scope`'s workspace. */
export async function isInTeam(tx: TxCtx, userId: UserId): Promise<boolean> {
  return (await roleOf(tx, userId)) !== null;
}

/**
 * Checks that every workspace an operator owns keeps another owner. Serialises with other owners who are leaving.
 * @throws Problem LAST_OWNER
 */
export async function keepOwnersWithout(tx: TxCtx, userId: UserId): Promise<void> {
  const teams = await teamsOf(tx, userId);
  const owned = [...teams].flatMap(([workspaceId, role]) => (role === 'owner' ? [workspaceId] : [])).sort();
  for (const workspaceId of owned) {
    const inside = at(tx, workspaceScope(workspaceId));
    // biome-ignore lint/performance/noAwaitInLoops: locked in a fixed order, so that two people leaving at once can't deadlock
    await keepAnOwner(inside, await lockOwners(inside), userId);
  }
}

/** Removes an erased operator from every team. */
export async function removeFromTeams(tx: TxCtx, userId: UserId): Promise<void> {
  const left = await tx.db
    .deleteFrom('team_members')
    .where('user_id', '=', userId)
    .returning(['id', 'role', 'workspace_id as workspaceId'])
    .execute();
  for (const { id, role, workspaceId } of left) {
    const inside = at(tx, workspaceScope(workspaceId));
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await emit(inside, 'team.member.removed', { teamMemberId: id, userId, role });
    await permissionsChanged(inside, { userId }, 'team_changed');
  }
}

/** True when a workspace has an owner. */
export async function hasOwner(
  { db }: Pick<Ctx, 'db'> | Pick<TxCtx, 'db'>,
  workspaceId: WorkspaceId,
): Promise<boolean> {
  const owner = await db
    .selectFrom('team_members')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('role', '=', 'owner')
    .limit(1)
    .executeTakeFirst();
  return owner !== undefined;
}
