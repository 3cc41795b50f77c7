import { type Expression, type RawBuilder, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { findIdentifier } from '#identifiers';
import { searchPeople } from '#people';
import type { Ctx } from '#platform/ctx.ts';
import { normalise } from '#platform/identifiers.ts';
import { firstIdAt, type MemberId, type RoleId, type UserId } from '#platform/ids.ts';
import { instantOf } from '#platform/instants.ts';
import { openCursor, type Page, PageQuery, pageOf } from '#platform/page.ts';
import { Instant } from '#platform/schemas.ts';
import { inScope } from '#platform/scoped.ts';
import { type Member, MemberStatus, membersById } from './members.ts';
import { RoleKey, roleByKey } from './roles.ts';

const filters = {
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 254,
      description:
        'Part of an email, phone, username or name, ignoring case and accents; one or two characters match the beginning.',
    }),
  ),
  status: Type.Optional(MemberStatus),
  role: Type.Optional(RoleKey),
  createdAfter: Type.Optional(Instant),
};

export const MemberQuery = Type.Object({
  ...PageQuery.properties,
  ...filters,
  order: Type.Optional(
    Type.Enum(['newest', 'oldest'], { description: 'By when they joined; `newest` by default, and always with `q`.' }),
  ),
});
type MemberQuery = Static<typeof MemberQuery>;

export const MemberCountQuery = Type.Object(filters);
type MemberCountQuery = Static<typeof MemberCountQuery>;

/** The filter of the list; `before` is the id of the last member that was read. */
type Filter = Pick<MemberQuery, 'status' | 'createdAfter' | 'q' | 'order'> & {
  roleId: RoleId | null;
  before: string | null;
};

type Position = { id: MemberId; userId: UserId };

/**
 * A search first scans this many of the newest members, which finds a full page for frequent matches. Most searches are for
 * something rare, which the index finds by reading less.
 */
const WINDOW = 500;
/** The scan is widened up to this many members if the first found some matches; beyond that the index may be faster. */
const WIDER_WINDOW = 8_000;
/** If the index found at most this many people, they are looked up; if more, the newest members are scanned for them first. */
const MAX_LOOKED_UP = 1_500;
/** The number of newest members that are scanned for the people that the index found. */
const MEMBERS_WINDOW = 32_000;
/**
 * Matches are looked up in the index, up to this many people of the workspace. If more match and few of them are new, a longer
 * search text finds the rest.
 */
const MAX_MATCHES = 5_000;

/**
 * Members of the project, newest first. The number of statements depends neither on the page nor on the size of the
 * project.
 */
export async function listMembers(ctx: Ctx, query: MemberQuery): Promise<Page<Member>> {
  const { limit, cursor, q, status, role, createdAfter } = query;
  const order = q === undefined ? query.order : 'newest';
  const list = JSON.stringify(['members', q, status, role, createdAfter, ...(order === 'oldest' ? [order] : [])]);
  const before = cursor === undefined ? null : openCursor(ctx, list, cursor);
  const roleId = role === undefined ? null : await roleByKey(ctx, role);
  if (roleId === undefined) return { items: [], nextCursor: null };
  const filter: Filter = {
    roleId,
    before,
    ...(order && { order }),
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

/** Counting stops here, so that it takes a few milliseconds whatever the size of the project. */
const MAX_COUNTED = 10_000;
/** A search counts fewer, because it reads more than an index. */
const MAX_COUNTED_MATCHES = 1_000;

/** How many members match the filters, up to a limit. Served by the indexes of the list. */
export async function countMembers(
  ctx: Ctx,
  { q, status, role, createdAfter }: MemberCountQuery,
): Promise<{ count: number; more: boolean }> {
  const roleId = role === undefined ? null : await roleByKey(ctx, role);
  if (roleId === undefined) return { count: 0, more: false };
  const filter: Filter = {
    roleId,
    before: null,
    ...(status && { status }),
    ...(createdAfter && { createdAfter }),
    ...(q && { q }),
  };
  const max = q === undefined ? MAX_COUNTED : MAX_COUNTED_MATCHES;
  const count =
    q === undefined ? await countUpTo(ctx, filter, max + 1) : (await search(ctx, filter, q, max + 1)).length;
  return { count: Math.min(count, max), more: count > max };
}

async function countUpTo(ctx: Ctx, filter: Filter, max: number): Promise<number> {
  const { count } = await ctx.db
    .selectFrom(newest(ctx, filter, max).as('counted'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

type Wanted = NonNullable<ReturnType<typeof searchPeople>>;

/**
 * The newest members that match. A whole email address or phone number finds its user directly. Text that matches many
 * members is frequent among the newest, so scanning those finds a page. Rare text can match only few, so the index
 * finds them all quickly. No step depends on the planner's statistics.
 */
async function search(ctx: Ctx, filter: Filter, typed: string, count: number): Promise<Position[]> {
  const wanted = searchPeople(ctx, typed);
  if (wanted === null) return [];
  const exact = await memberOfAddress(ctx, filter, typed);
  if (exact.length > 0) return exact;
  const near = await scan(ctx, filter, wanted, { size: WINDOW, count });
  if (isDone(near, count)) return near.found;
  const size = widerWindow({ found: near.found.length, missing: count - near.found.length });
  const wider = size === null ? near : await scanOn(ctx, filter, wanted, { after: near, size, count });
  if (isDone(wider, count)) return wider.found;
  const some = await wanted.some(ctx, MAX_MATCHES);
  if (some.length < MAX_MATCHES) return membersAmong(ctx, filter, some, count);
  const widest = size === null ? await scanOn(ctx, filter, wanted, { after: near, size: WIDER_WINDOW, count }) : wider;
  if (isDone(widest, count)) return widest.found;
  return membersAmong(ctx, filter, await wanted.newest(ctx, MAX_MATCHES), count);
}

/** What a scan found: the newest matches, and the id of the oldest member that it read; null if it read all. */
type Scanned = { found: Position[]; end: MemberId | null };

function isDone({ found, end }: Scanned, count: number): boolean {
  return found.length >= count || end === null;
}

/**
 * The number of members to scan after the first window: at least enough for twice the missing matches, at the rate found there.
 * Twice, because matches are not spread evenly. Sizes double, so that there are few different statements to prepare.
 * @returns null if the index is faster
 */
export function widerWindow({ found, missing }: { found: number; missing: number }): number | null {
  const wanted = (2 * WINDOW * missing) / found;
  let size = WINDOW;
  while (size < wanted && size <= WIDER_WINDOW) size *= 2;
  return size > WIDER_WINDOW ? null : size;
}

async function memberOfAddress(ctx: Ctx, filter: Filter, typed: string): Promise<Position[]> {
  const identifier = normalise(typed);
  if (identifier.kind === 'username') return [];
  const owner = await findIdentifier(ctx, identifier);
  return owner ? newest(ctx, filter, 1, sql.val([owner.userId])).execute() : [];
}

type Scan = { size: number; count: number };

/** Continues a scan. */
async function scanOn(
  ctx: Ctx,
  filter: Filter,
  wanted: Wanted,
  { after, size, count }: Scan & { after: Scanned },
): Promise<Scanned> {
  const { found, end } = await scan(ctx, { ...filter, before: after.end }, wanted, {
    size,
    count: count - after.found.length,
  });
  return { found: [...after.found, ...found], end };
}

/**
 * The first `count` matches among the newest `size` members. Most people become members of a project when they get their
 * account, so the users of the same time are read in one go; the others are looked up one by one.
 */
async function scan(ctx: Ctx, filter: Filter, wanted: Wanted, { size, count }: Scan): Promise<Scanned> {
  const limit = 2 * size;
  const { rows } = await sql<{ found: Position[]; end: MemberId | null; scanned: number }>`
    with newest as materialized (${newest(ctx, filter, size)}),
    span as materialized (select min(id) as end, count(*) as scanned,
      'usr' || substr(min(id), 4, 11) as first, 'usr' || substr(max(id), 4, 11) || ${sql.lit('z'.repeat(16))} as last from newest),
    read as materialized (select ${wanted.startFor(sql.ref('span.first'), sql.ref('span.last'), limit)} as first, last from span),
    recent as materialized ${wanted.between(sql`(select first from read)`, sql`(select last from read)`, limit)}
    select span.end, span.scanned, (select coalesce(json_agg(found), '[]') from (
        select newest.id, newest."userId" from newest
        where case when newest."userId" between (select first from read) and (select last from read)
            then newest."userId" in (select id from recent)
            else ${wanted.matches(sql.ref<UserId>('newest.userId'))} end
          and ${isShownAs(sql.ref('newest.knownAs'), filter.q)}
        order by newest.id desc limit ${count}) as found) as found
    from span`.execute(ctx.db);
  const [{ found, end, scanned } = { found: [], end: null, scanned: 0 }] = rows;
  return { found, end: scanned < size ? null : end };
}

/**
 * The newest members among some people. If these are many, enough of them are probably among the newest members, and reading a
 * member costs a twentieth of looking a person up.
 */
async function membersAmong(ctx: Ctx, filter: Filter, users: UserId[], count: number): Promise<Position[]> {
  if (users.length > MAX_LOOKED_UP) {
    const found = await ctx.db
      .selectFrom(newest(ctx, filter, MEMBERS_WINDOW).as('newest'))
      .select(['newest.id', 'newest.userId'])
      // "is true" keeps it a condition with a hash table; without it the planner may look up each of the people.
      .where(sql<boolean>`(newest."userId" in (select unnest(${users}::text[]))) is true`)
      .where(({ ref }) => isShownAs(ref('newest.knownAs'), filter.q))
      .orderBy('newest.id', 'desc')
      .limit(count)
      .execute();
    if (found.length === count) return found;
  }
  return newest(ctx, filter, count, sql.val(users)).execute();
}

/**
 * Served by the primary key, members_not_active, or, limited to some people, members_of_user; with a role by
 * member_roles_of_role or by checking the roles of each of them. The join order is fixed here: a planner without
 * statistics would join all members to all holders of the role.
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
  // Looked-up people are fetched, then sorted; the list's own order would tempt the planner to scan all members.
  query = among === undefined ? query.orderBy('m.id', directionOf(filter)) : query.orderBy(sql`m.id || ''`, 'desc');
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

/** Scans the holders of a role, newest first. `offset 0` keeps the order of the tables. */
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
        .offset(sql.lit(0))
        .as('member'),
    )
    .select(['member.id', 'member.userId', 'member.knownAs'])
    .where(inScope(ctx, 'held'))
    .where('held.role_id', '=', filter.roleId)
    .orderBy('held.member_id', directionOf(filter))
    .limit(count);
  for (const condition of conditionsOn(sql.ref('held.member_id'), filter)) query = query.where(condition);
  return query;
}

/**
 * A search matches only what the project may see: for a member it added who has not entered yet, only the identifiers
 * it named. Otherwise a search could reveal the rest of the account letter by letter.
 */
function isShownAs(knownAs: Expression<unknown>, typed = ''): RawBuilder<boolean> {
  const text = normalise(typed).value.toLowerCase();
  return sql<boolean>`(${knownAs} is null
    or exists (select from jsonb_each_text(${knownAs}) as named where position(${text} in lower(named.value)) > 0))`;
}

function directionOf({ order }: Filter): 'asc' | 'desc' {
  return order === 'oldest' ? 'asc' : 'desc';
}

/** The conditions for the position in the list. */
function conditionsOn(id: RawBuilder<unknown>, { before, createdAfter, order }: Filter): RawBuilder<boolean>[] {
  const first = createdAfter === undefined ? null : firstIdAt('mem', new Date(instantOf(createdAfter).getTime() + 1));
  return [
    ...(before === null
      ? []
      : [order === 'oldest' ? sql<boolean>`${id} > ${before}` : sql<boolean>`${id} < ${before}`]),
    ...(first === null ? [] : [sql<boolean>`${id} >= ${first}`]),
  ];
}

/** A literal, not a parameter: the planner uses the partial index of inactive members only for a known status. */
function hasStatus(status: MemberStatus): RawBuilder<boolean> {
  return sql<boolean>`m.status = ${sql.lit(status)}`;
}
