import { sql } from 'kysely';
import { exportUsers } from '#people';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { NormalisedIdentifier } from '#platform/identifiers.ts';
import type { MemberId, RoleId, UserId } from '#platform/ids.ts';
import { inScope } from '#platform/scoped.ts';
import { isInReachAsRead } from './authority.ts';
import { knownAs, type MemberStatus, roleKeys, rolesGiven } from './members.ts';

/** The membership of those of these users who are members of the project. Served by members_of_user. */
export async function membershipsByUser(
  ctx: Ctx | TxCtx,
  userIds: readonly UserId[],
): Promise<Map<UserId, { id: MemberId; status: MemberStatus }>> {
  if (userIds.length === 0) return new Map();
  const rows = await ctx.db
    .selectFrom('members')
    .select(['user_id', 'id', 'status'])
    .where(inScope(ctx))
    .where('user_id', '=', sql<UserId>`any(${[...userIds]})`)
    .execute();
  return new Map(rows.map(({ user_id: userId, id, status }) => [userId, { id, status }]));
}

type NewMember = {
  id: MemberId;
  userId: UserId;
  status: MemberStatus;
  metadata: Record<string, unknown>;
  roleIds: readonly RoleId[];
  /**
   * The identifiers by which the project named a user who had an account already; null: the project sees the account's
   * own.
   */
  named: readonly NormalisedIdentifier[] | null;
};

/** Adds memberships with their roles in two statements. Emits no event; the caller does. */
export async function insertMembers(tx: TxCtx, members: readonly NewMember[]): Promise<void> {
  const { workspaceId, projectId, environment } = tx.scope;
  await sql`insert into members (workspace_id, project_id, environment, id, user_id, status, metadata, created_at, known_as)
    select ${workspaceId}, ${projectId}, ${environment}, id, user_id, status, metadata::jsonb, ${tx.now}, known_as::jsonb
    from unnest(${members.map(({ id }) => id)}::text[], ${members.map(({ userId }) => userId)}::text[],
      ${members.map(({ status }) => status)}::text[], ${members.map(({ metadata }) => JSON.stringify(metadata))}::text[],
      ${members.map(({ named }) => (named === null ? null : JSON.stringify(knownAs(named))))}::text[])
      as member (id, user_id, status, metadata, known_as)`.execute(tx.db);
  const held = members.flatMap(({ id, roleIds }) => roleIds.map((roleId) => ({ id, roleId })));
  if (held.length === 0) return;
  await sql`insert into member_roles (workspace_id, project_id, environment, member_id, role_id, given_at)
    select ${workspaceId}, ${projectId}, ${environment}, member_id, role_id, ${tx.now}
    from unnest(${held.map(({ id }) => id)}::text[], ${held.map(({ roleId }) => roleId)}::text[])
      as held (member_id, role_id)`.execute(tx.db);
  const known = members.filter(({ named, roleIds }) => named !== null && roleIds.length > 0);
  if (known.length === 0) return;
  await rolesGiven(
    tx,
    known.map(({ userId }) => userId),
  );
}

/** The number of members of the project. */
export async function memberCount(ctx: Ctx): Promise<number> {
  const { count } = await ctx.db
    .selectFrom('members')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(inScope(ctx))
    .executeTakeFirstOrThrow();
  return count;
}

function isElsewhere({ scope: { workspaceId, environment } }: Ctx) {
  return sql<boolean>`exists (select from members o where o.workspace_id = ${workspaceId}
    and o.environment = ${environment} and o.user_id = m.user_id and o.project_id <> m.project_id)`;
}

/**
 * Members ordered by id, with the fields of an export: what the project sees of the member, the account behind it, and
 * whether that account is in the actor's reach. Served by the primary key.
 */
export async function membersAfter(ctx: Ctx, after: string, limit: number) {
  const members = await ctx.db
    .selectFrom('members as m')
    .select([
      'm.id',
      'm.user_id as userId',
      'm.status',
      'm.metadata',
      'm.created_at as joinedAt',
      'm.last_seen_at as lastSeenAt',
      'm.known_as as knownAs',
    ])
    .select(isElsewhere(ctx).as('isElsewhere'))
    .select(roleKeys(ctx).as('roles'))
    .where(inScope(ctx, 'm'))
    .where('m.id', '>', sql<MemberId>`${after}`)
    .orderBy('m.id')
    .limit(limit)
    .execute();
  const users = await exportUsers(
    ctx,
    members.map(({ userId }) => userId),
  );
  return members.map(({ isElsewhere: elsewhere, ...member }) => {
    const user = users.get(member.userId);
    return {
      ...member,
      user,
      isInReach: user !== undefined && isInReachAsRead(ctx, { ...user, isElsewhere: elsewhere }),
    };
  });
}

/** The tables are analysed again when they are this many times larger than the planner's estimate. */
const GROWN = 4;

/** Whether the table is much larger than the planner's estimate. */
export async function outgrewEstimate(tx: TxCtx): Promise<boolean> {
  const { rows } = await sql<{ grown: boolean }>`
    select pg_relation_size(oid) > ${GROWN} * current_setting('block_size')::bigint * greatest(relpages, 1) as grown
    from pg_class where oid = 'members'::regclass`.execute(tx.db);
  return rows[0]?.grown === true;
}
