import { type Expression, type RawBuilder, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { findIdentifier, searchPeople } from '#people';
import type { Ctx } from '#platform/ctx.ts';
import { normalise } from '#platform/identifiers.ts';
import { firstIdAt, type MemberId, type RoleId, type UserId } from '#platform/ids.ts';
import { instantOf } from '#platform/instants.ts';
import { openCursor, type Page, PageQuery, pageOf } from '#platform/page.ts';
import { Instant } from '#platform/schemas.ts';
import { inScope } from '#platform/scoped.ts';
import { type Member, MemberStatus, membersById } from './members.ts';
import { RoleKey, roleByKey } from './roles.ts';

export const MemberQuery = Type.Object({
  ...PageQuery.properties,
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 254,
      description:
        'Part of an email, phone, username or name, whatever its case and accents; one or two characters: how it begins.',
    }),
  ),
  status: Type.Optional(MemberStatus),
  role: Type.Optional(RoleKey),
  createdAfter: Type.Optional(Instant),
});
type MemberQuery = Static<typeof MemberQuery>;

/** Which members, and after which one in the list to begin. */
type Filter = Pick<MemberQuery, 'status' | 'createdAfter' | 'q'> & { roleId: RoleId | null; before: string | null };

type Position = { id: MemberId; userId: UserId };

/** A search first looks through this many of the newest members: what many match is found there. */
const WINDOW = 2_000;
/** What some match there is looked for among so many more; beyond them the index is quicker. */
const WIDER_WINDOW = 8_000;
/** What is not frequent there is looked up, up to this many people of the workspace; a longer text finds the rest. */
const MAX_MATCHES = 5_000;

/** Members of the project, newest first; a fixed number of statements whatever the page and the size of the project. */
export async function listMembers(ctx: Ctx, query: MemberQuery): Promise<Page<Member>> {
  const { limit, cursor, q, status, role, createdAfter } = query;
  const list = JSON.stringify(['members', q, status, role, createdAfter]);
  const before = cursor === undefined ? null : openCursor(ctx, list, cursor);
  const roleId = role === undefined ? null : await roleByKey(ctx, role);
  if (roleId === undefined) return { items: [], nextCursor: null };
  const filter: Filter = {
    roleId,
    before,
    ...(status && { status }),
    ...(createdAfter && { createdAfter }),
    ...(q && { q }),
  };
  const positions =
    q === undefined ? await newest(ctx, filter, limit + 1).execute() : await search(ctx, filter, q, limit + 1);
  const page = pageOf(ctx, positions, { list, limit, keyOf: ({ id }) => id });
  return {
    items: await membersById(
      ctx,
      page.rows.map(({ id }) => id),
    ),
    nextCursor: page.nextCursor,
  };
}

type Wanted = NonNullable<ReturnType<typeof searchPeople>>;

/**
 * The newest members that match; of a whole email or phone number, whose it is. What many match is frequent among the newest too, and
 * found by looking at those; what is not can't be matched by many, so the index finds all of it quickly. No step depends on what
 * the planner knows.
 */
async function search(ctx: Ctx, filter: Filter, typed: string, count: number): Promise<Position[]> {
  const wanted = searchPeople(ctx, typed);
  if (wanted === null) return [];
  const exact = await memberOfAddress(ctx, filter, typed);
  if (exact.length > 0) return exact;
  const near = await amongNewest(ctx, filter, wanted, { size: WINDOW, count });
  const end = near.length < count ? await endOf(ctx, filter, WINDOW) : null;
  if (end === null) return near;
  // Half as many again as hold enough when it goes on like this.
  const more = Math.ceil((1.5 * WINDOW * (count - near.length)) / near.length);
  if (more > WIDER_WINDOW) return lookUp(ctx, filter, wanted, count);
  const farther = { ...filter, before: end };
  const found = [...near, ...(await amongNewest(ctx, farther, wanted, { size: more, count: count - near.length }))];
  const all = found.length >= count || (await endOf(ctx, farther, more)) === null;
  return all ? found : lookUp(ctx, filter, wanted, count);
}

async function memberOfAddress(ctx: Ctx, filter: Filter, typed: string): Promise<Position[]> {
  const identifier = normalise(typed);
  if (identifier.kind === 'username') return [];
  const owner = await findIdentifier(ctx, identifier);
  return owner ? newest(ctx, filter, 1, sql.val([owner.userId])).execute() : [];
}

/** The first so many who match among so many of the newest members. */
function amongNewest(
  ctx: Ctx,
  filter: Filter,
  wanted: Wanted,
  { size, count }: { size: number; count: number },
): Promise<Position[]> {
  return ctx.db
    .selectFrom(newest(ctx, filter, size).as('newest'))
    .select(['newest.id', 'newest.userId'])
    .where(({ ref }) => wanted.matches(ref('newest.userId')))
    .where(({ ref }) => isShownAs(ref('newest.knownAs'), filter.q))
    .orderBy('newest.id', 'desc')
    .limit(count)
    .execute();
}

/** The last of so many of the newest members; null when there are fewer. */
async function endOf(ctx: Ctx, filter: Filter, size: number): Promise<MemberId | null> {
  const { last, count } = await ctx.db
    .selectFrom(newest(ctx, filter, size).as('newest'))
    .select(({ fn }) => [fn.min('newest.id').as('last'), fn.countAll<number>().as('count')])
    .executeTakeFirstOrThrow();
  return count < size ? null : last;
}

function lookUp(ctx: Ctx, filter: Filter, wanted: Wanted, count: number): Promise<Position[]> {
  return newest(ctx, filter, count, wanted.newest(MAX_MATCHES)).execute();
}

/**
 * Served by the primary key, members_not_active, or, for some people only, members_of_user; with a role by member_roles_of_role, or
 * by a look at what each of them holds. Which one comes first is said here: a planner that knows little of the tables would join
 * everybody to everybody who holds the role.
 */
function newest(ctx: Ctx, filter: Filter, count: number, among?: RawBuilder<UserId[]>) {
  const { workspaceId, projectId, environment } = ctx.scope;
  if (filter.roleId !== null && among === undefined && (filter.status ?? 'active') === 'active')
    return newestOfRole(ctx, { ...filter, roleId: filter.roleId }, count);
  let query = ctx.db
    .selectFrom('members as m')
    .select(['m.id', 'm.user_id as userId', 'm.known_as as knownAs'])
    .where(inScope(ctx, 'm'))
    .limit(count);
  // Those who were looked up are fetched and sorted; the list's own order would tempt the planner to walk through everybody.
  query = among === undefined ? query.orderBy('m.id', 'desc') : query.orderBy(sql`m.id || ''`, 'desc');
  if (among !== undefined)
    query = query
      .where('m.user_id', '=', sql<UserId>`any(${among})`)
      .where(({ ref }) => isShownAs(ref('m.known_as'), filter.q));
  for (const condition of conditionsOn(sql.ref('m.id'), filter)) query = query.where(condition);
  if (filter.status !== undefined) query = query.where(hasStatus(filter.status));
  if (filter.roleId !== null)
    query = query.where(
      sql<boolean>`(select true from member_roles as held where held.workspace_id = ${workspaceId} and held.project_id = ${projectId}
        and held.environment = ${environment} and held.member_id = m.id and held.role_id = ${filter.roleId})`,
    );
  return query;
}

/** Walks through those who hold a role, newest first. `offset 0` keeps the order of the tables. */
function newestOfRole(ctx: Ctx, filter: Filter & { roleId: RoleId }, count: number) {
  let query = ctx.db
    .selectFrom('member_roles as held')
    .crossJoinLateral((eb) =>
      eb
        .selectFrom('members as m')
        .select(['m.id', 'm.user_id as userId', 'm.known_as as knownAs'])
        .where(inScope(ctx, 'm'))
        .whereRef('m.id', '=', 'held.member_id')
        .$if(filter.status !== undefined, (member) => member.where(hasStatus('active')))
        .offset(0)
        .as('member'),
    )
    .select(['member.id', 'member.userId', 'member.knownAs'])
    .where(inScope(ctx, 'held'))
    .where('held.role_id', '=', filter.roleId)
    .orderBy('held.member_id', 'desc')
    .limit(count);
  for (const condition of conditionsOn(sql.ref('held.member_id'), filter)) query = query.where(condition);
  return query;
}

/**
 * A search finds what the project is shown: of somebody it added and who has not entered yet, no more than it named them by.
 * Otherwise every letter could be asked for.
 */
function isShownAs(knownAs: Expression<unknown>, typed = ''): RawBuilder<boolean> {
  const text = normalise(typed).value.toLowerCase();
  return sql<boolean>`(${knownAs} is null
    or exists (select from jsonb_each_text(${knownAs}) as named where position(${text} in lower(named.value)) > 0))`;
}

/** Where in the list to look. */
function conditionsOn(id: RawBuilder<unknown>, { before, createdAfter }: Filter): RawBuilder<boolean>[] {
  const first = createdAfter === undefined ? null : firstIdAt('mem', new Date(instantOf(createdAfter).getTime() + 1));
  return [
    ...(before === null ? [] : [sql<boolean>`${id} < ${before}`]),
    ...(first === null ? [] : [sql<boolean>`${id} >= ${first}`]),
  ];
}

/** Not a parameter: the index of those who are not active serves only what is known to be among them. */
function hasStatus(status: MemberStatus): RawBuilder<boolean> {
  return sql<boolean>`m.status = ${sql.lit(status)}`;
}
