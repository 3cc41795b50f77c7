import { type Generated, type Selectable, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { emit } from '#events';
import { withFactors } from '#factors';
import { type UserSummary, usersById } from '#people';
import { permissionsChanged } from '#permissions';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import type { Json } from '#platform/db.ts';
import { announce } from '#platform/feed.ts';
import type { NormalisedIdentifier } from '#platform/identifiers.ts';
import {
  IdSchema,
  type MemberId,
  newId,
  type ProjectId,
  type RoleId,
  type UserId,
  type WorkspaceId,
} from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import { revokeSessions } from '#sessions';
import { existingRoles, lockRoles } from './roles.ts';

export const MemberStatus = Type.Enum(['active', 'invited', 'blocked']);
export type MemberStatus = Static<typeof MemberStatus>;

type MembersTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  id: MemberId;
  user_id: UserId;
  status: MemberStatus;
  /** Whether a directory blocked the member; then a directory may also unblock them. */
  blocked_by_directory: Generated<boolean>;
  metadata: Json<Record<string, unknown>>;
  created_at: Date;
  last_seen_at: Date | null;
  known_as: Json<KnownAs> | null;
};

/**
 * The identifiers by which an administrator added a person who had an account. Until the person enters the project, the
 * project sees no more of the account than these, because data from other projects is not its own.
 */
export type KnownAs = { email?: string; phone?: string; username?: string };

type MemberRolesTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  member_id: MemberId;
  role_id: RoleId;
  given_at: Generated<Date>;
};

declare module '#platform/db.ts' {
  interface Tables {
    members: MembersTable;
    member_roles: MemberRolesTable;
  }
}

/** A person's membership in one project. */
export const Member = Type.Object(
  {
    id: IdSchema('mem'),
    userId: IdSchema('usr'),
    email: nullable(Type.String()),
    emailVerified: Type.Boolean(),
    phone: nullable(Type.String()),
    phoneVerified: Type.Boolean(),
    username: nullable(Type.String()),
    displayName: nullable(Type.String()),
    status: MemberStatus,
    roles: Type.Array(Type.String()),
    mfaEnabled: Type.Boolean(),
    metadata: Type.Record(Type.String(), Type.Unknown()),
    createdAt: Instant,
    lastSeenAt: nullable(Instant),
  },
  { title: 'Member' },
);
export type Member = Static<typeof Member>;

export const MemberRef = Type.Object({ memberId: IdSchema('mem') });

type Row = Selectable<MembersTable> & { roles: string[] };

/** The keys of the roles of a member `m` of the scope's project. */
export function roleKeys({ scope: { workspaceId, projectId, environment } }: Pick<Ctx, 'scope'>) {
  return sql<string[]>`array(
    select r.key from member_roles mr join roles r using (workspace_id, project_id, environment)
    where workspace_id = ${workspaceId} and project_id = ${projectId} and environment = ${environment}
      and r.id = mr.role_id and mr.member_id = m.id
    order by r.key)`;
}

function recordOf(row: Row, user: UserSummary, mfaEnabled: boolean): Member {
  const { id, status, roles, metadata, known_as: knownAs } = row;
  const { locale: _locale, ...shown } = knownAs ? strangerKnownAs(user, knownAs) : user;
  return {
    id,
    ...shown,
    status,
    roles,
    mfaEnabled: mfaEnabled && knownAs === null,
    metadata,
    createdAt: row.created_at.toISOString(),
    lastSeenAt: row.last_seen_at?.toISOString() ?? null,
  };
}

/**
 * The identifiers under which a project sees a user it named: only the first that belongs to the user. The project must
 * not learn whether the others belong to the user too.
 */
export function knownAs([theirs]: readonly NormalisedIdentifier[]): KnownAs {
  return theirs ? { [theirs.kind]: theirs.value } : {};
}

function strangerKnownAs({ userId, locale }: UserSummary, { email, phone, username }: KnownAs): UserSummary {
  return {
    userId,
    email: email ?? null,
    emailVerified: false,
    phone: phone ?? null,
    phoneVerified: false,
    username: username ?? null,
    displayName: null,
    locale,
  };
}

/**
 * Members by id, in the given order; at most three statements whatever their number. Looks up each id in the primary
 * key separately: given a list, a planner without statistics scans the whole project along members_of_user.
 */
export async function membersById(ctx: Ctx | TxCtx, ids: readonly MemberId[]): Promise<Member[]> {
  if (ids.length === 0) return [];
  const rows = await ctx.db
    .selectFrom(sql<{ id: MemberId }>`unnest(${[...ids]}::text[])`.as<'wanted'>(sql`wanted (id)`))
    .crossJoinLateral(() =>
      ctx.db
        .selectFrom('members as m')
        .selectAll('m')
        .select(roleKeys(ctx).as('roles'))
        .where(inScope(ctx, 'm'))
        .whereRef('m.id', '=', sql.ref('wanted.id'))
        .offset(sql.lit(0))
        .as('found'),
    )
    .selectAll('found')
    .execute();
  const records = new Map((await recordsOf(ctx, rows)).map((member) => [member.id, member]));
  return ids.flatMap((id) => records.get(id) ?? []);
}

async function recordsOf(ctx: Ctx | TxCtx, rows: Row[]): Promise<Member[]> {
  const ids = rows.map((row) => row.user_id);
  const [users, withMfa] = await Promise.all([usersById(ctx, ids), withFactors(ctx, ids)]);
  return rows.flatMap((row) => {
    const user = users.get(row.user_id);
    return user ? [recordOf(row, user, withMfa.has(row.user_id))] : [];
  });
}

/** @throws Problem NOT_FOUND, also for a member of another project */
export async function getMember(ctx: Ctx | TxCtx, memberId: MemberId): Promise<Member> {
  const row = await ctx.db
    .selectFrom('members as m')
    .selectAll('m')
    .select(roleKeys(ctx).as('roles'))
    .where(inScope(ctx, 'm'))
    .where('m.id', '=', memberId)
    .executeTakeFirst();
  const [member] = row ? await recordsOf(ctx, [row]) : [];
  if (!member) throw problem('NOT_FOUND');
  return member;
}

/** A membership as sign-in and `/v1/me` read it. */
export type Membership = { id: MemberId; status: MemberStatus; roles: string[]; joinedAt: string };

/** A person's membership in `ctx.scope`'s project. Served by members_of_user. */
export async function findMember(ctx: Ctx | TxCtx, userId: UserId): Promise<Membership | undefined> {
  const row = await ctx.db
    .selectFrom('members as m')
    .selectAll('m')
    .select(roleKeys(ctx).as('roles'))
    .where(inScope(ctx, 'm'))
    .where('m.user_id', '=', userId)
    .executeTakeFirst();
  return row && { id: row.id, status: row.status, roles: row.roles, joinedAt: row.created_at.toISOString() };
}

/**
 * Adds a person to `tx.scope`'s project; an existing member stays unchanged.
 * @param roles role keys
 */
export async function addMember(tx: TxCtx, userId: UserId, roles: readonly string[] = []): Promise<MemberId> {
  const id = newId('mem', tx.now);
  const added = await tx.db
    .insertInto('members')
    .values({
      ...scopeColumns(tx),
      id,
      user_id: userId,
      status: 'active',
      metadata: '{}',
      created_at: tx.now,
      last_seen_at: null,
      known_as: null,
    })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'environment', 'user_id', 'project_id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!added) {
    const existing = await findMember(tx, userId);
    if (!existing) throw new Error('A membership was removed while it was being added.');
    return existing.id;
  }
  if (roles.length > 0)
    await insertRoles(
      tx,
      { memberId: id, userId },
      (await lockRoles(tx, roles, 'refuse')).map((role) => role.id),
    );
  await emit(tx, 'membership.created', { memberId: id, userId });
  if (roles.length > 0) await permissionsChanged(tx, { userId }, 'roles_changed');
  return id;
}

/** Gives a member roles. The caller has locked the member, or added them. */
export async function insertRoles(
  tx: TxCtx,
  { memberId, userId }: { memberId: MemberId; userId: UserId },
  roleIds: readonly RoleId[],
): Promise<void> {
  const { numInsertedOrUpdatedRows } = await tx.db
    .insertInto('member_roles')
    .values(
      roleIds.map((roleId) => ({
        ...scopeColumns(tx),
        member_id: memberId,
        role_id: roleId,
        given_at: tx.now,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows !== 0n) await rolesGiven(tx, [userId]);
}

/** Ends the sessions that connections alone began: people with a new role must prove themselves before they use it. */
export async function rolesGiven(tx: TxCtx, userIds: readonly UserId[]): Promise<void> {
  await revokeSessions(tx, userIds, 'through connections', 'roles_given');
}

/**
 * Locks a member of the scope's project until the transaction ends, so that nobody changes their roles after a new session
 * was decided by them. Served by members_of_user.
 */
export async function holdRoles(tx: TxCtx, userId: UserId): Promise<void> {
  await tx.db
    .selectFrom('members')
    .select('id')
    .where(inScope(tx))
    .where('user_id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Adds roles to a member; roles the project no longer has are skipped. */
export async function addRoles(
  tx: TxCtx,
  { memberId, userId }: { memberId: MemberId; userId: UserId },
  keys: readonly string[],
): Promise<void> {
  const roles = await existingRoles(tx, keys);
  if (roles.length === 0) return;
  await holdRoles(tx, userId);
  await insertRoles(
    tx,
    { memberId, userId },
    roles.map((role) => role.id),
  );
  await emit(tx, 'membership.roles.changed', { memberId, userId, roles: roles.map((role) => role.key) });
  await announce(tx, { topic: 'member', key: `${tx.scope.projectId}/${userId}` });
  await permissionsChanged(tx, { userId }, 'roles_changed');
}

/**
 * Changes a member under its lock and notifies every process.
 * @throws Problem NOT_FOUND
 */
export function changeMember(
  ctx: Ctx | TxCtx,
  memberId: MemberId,
  change: (tx: TxCtx, member: Awaited<ReturnType<typeof lockMember>>) => Promise<void>,
): Promise<Member> {
  return transaction(ctx, async (tx) => {
    const member = await lockMember(tx, memberId);
    await change(tx, member);
    await announce(tx, { topic: 'member', key: `${tx.scope.projectId}/${member.userId}` });
    return getMember(tx, memberId);
  });
}

/**
 * Serialises changes of one member. Served by the primary key. It writes, so that a conditional change (`If-Match`)
 * fails even if only the member's roles, which are rows of their own, were changed concurrently.
 * @throws Problem NOT_FOUND
 */
export async function lockMember(tx: TxCtx, memberId: MemberId) {
  const row = await tx.db
    .updateTable('members')
    .set((eb) => ({ status: eb.ref('status') }))
    .where(inScope(tx))
    .where('id', '=', memberId)
    .returning(['id', 'user_id as userId', 'status', 'blocked_by_directory as blockedByDirectory'])
    .executeTakeFirst();
  if (!row) throw problem('NOT_FOUND');
  return row;
}

/** Serialises changes of several members, locked in one order. Served by the primary key. */
export async function lockMembers(tx: TxCtx, memberIds: readonly MemberId[]): Promise<void> {
  await tx.db
    .selectFrom('members')
    .select('id')
    .where(inScope(tx))
    .where('id', '=', sql<MemberId>`any(${[...memberIds]})`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}
