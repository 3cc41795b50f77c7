import { sql } from 'kysely';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { MemberId, RoleId, UserId } from '#platform/ids.ts';
import { inScope } from '#platform/scoped.ts';
import type { KnownAs, MemberStatus } from './members.ts';

/** Which of these users are members of the project. Served by members_of_user. */
export async function membersAmong(tx: TxCtx, userIds: readonly UserId[]): Promise<Set<UserId>> {
  if (userIds.length === 0) return new Set();
  const rows = await tx.db
    .selectFrom('members')
    .select('user_id')
    .where(inScope(tx))
    .where('user_id', '=', sql<UserId>`any(${[...userIds]})`)
    .execute();
  return new Set(rows.map((row) => row.user_id));
}

export type NewMember = {
  id: MemberId;
  userId: UserId;
  status: MemberStatus;
  metadata: Record<string, unknown>;
  roleIds: readonly RoleId[];
  /**
   * The identifiers by which the project named a user who had an account already; null: the project sees the account's
   * own.
   */
  knownAs: KnownAs | null;
};

/** Adds memberships with their roles in two statements. Emits no event; the caller does. */
export async function insertMembers(tx: TxCtx, members: readonly NewMember[]): Promise<void> {
  const { workspaceId, projectId, environment } = tx.scope;
  await sql`insert into members (workspace_id, project_id, environment, id, user_id, status, metadata, created_at, known_as)
    select ${workspaceId}, ${projectId}, ${environment}, id, user_id, status, metadata::jsonb, ${tx.now}, known_as::jsonb
    from unnest(${members.map(({ id }) => id)}::text[], ${members.map(({ userId }) => userId)}::text[],
      ${members.map(({ status }) => status)}::text[], ${members.map(({ metadata }) => JSON.stringify(metadata))}::text[],
      ${members.map(({ knownAs }) => (knownAs === null ? null : JSON.stringify(knownAs)))}::text[])
      as member (id, user_id, status, metadata, known_as)`.execute(tx.db);
  const held = members.flatMap(({ id, roleIds }) => roleIds.map((roleId) => ({ id, roleId })));
  if (held.length === 0) return;
  await sql`insert into member_roles (workspace_id, project_id, environment, member_id, role_id)
    select ${workspaceId}, ${projectId}, ${environment}, member_id, role_id
    from unnest(${held.map(({ id }) => id)}::text[], ${held.map(({ roleId }) => roleId)}::text[])
      as held (member_id, role_id)`.execute(tx.db);
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

/** The keys of the project's roles, by id. */
export async function roleKeys(ctx: Ctx): Promise<Map<RoleId, string>> {
  const rows = await ctx.db.selectFrom('roles').select(['id', 'key']).where(inScope(ctx)).execute();
  return new Map(rows.map(({ id, key }) => [id, key]));
}

const ROLE_IDS = sql<RoleId[]>`array(select role_id from member_roles mr
  where (mr.workspace_id, mr.project_id, mr.environment, mr.member_id) = (m.workspace_id, m.project_id, m.environment, m.id))`;

const IS_ELSEWHERE = sql<boolean>`exists (select from members o where o.workspace_id = m.workspace_id
  and o.environment = m.environment and o.user_id = m.user_id and o.project_id <> m.project_id)`;

/** Members ordered by id, with the fields of an export. Served by the primary key. */
export function membersAfter(ctx: Ctx, after: string, limit: number) {
  return ctx.db
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
    .select(IS_ELSEWHERE.as('isElsewhere'))
    .select(ROLE_IDS.as('roleIds'))
    .where(inScope(ctx, 'm'))
    .where('m.id', '>', sql<MemberId>`${after}`)
    .orderBy('m.id')
    .limit(limit)
    .execute();
}
