import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { MemberId, UserId } from '#platform/ids.ts';
import { newestFirst, type PageQuery } from '#platform/page.ts';
import { isClosed, projectNames } from '#tenancy';
import { withRoles } from './access.ts';

/**
 * A person's memberships in every project of the workspace and environment, newest first. Served by members_of_user.
 */
async function listMemberships(
  ctx: Ctx | TxCtx,
  userId: UserId,
  { limit, cursor, only }: Static<typeof PageQuery> & { only?: MemberId },
) {
  const { workspaceId, environment } = ctx.scope;
  let query = withRoles(ctx, userId)
    .select([
      'm.id',
      'm.project_id',
      'm.status',
      'm.metadata',
      'm.created_at',
      'm.last_seen_at',
      sql<string[]>`coalesce(array_agg(r.key order by r.key) filter (where r.key is not null), '{}')`.as('roles'),
    ])
    .groupBy(['m.id', 'm.project_id', 'm.status', 'm.metadata', 'm.created_at', 'm.last_seen_at']);
  if (only !== undefined) query = query.where('m.id', '=', only);
  const page = await newestFirst(ctx, query, { list: `memberships ${userId}`, limit, cursor, by: 'm.id' });
  const names = await projectNames(
    ctx,
    page.rows.map((row) => row.project_id),
  );
  const items = page.rows.map(({ id, project_id: projectId, status, roles, metadata, ...row }) => ({
    id,
    workspaceId,
    projectId,
    projectName: names.get(projectId) ?? '',
    environment,
    status,
    roles,
    joinedAt: row.created_at.toISOString(),
    lastSeenAt: row.last_seen_at?.toISOString() ?? null,
    metadata,
  }));
  return { items, nextCursor: page.nextCursor };
}

/**
 * The projects of the workspace that a person is a member of, and when they last got a role in one of them. Served by
 * members_of_user.
 */
async function reachOf(ctx: Ctx | TxCtx, userId: UserId) {
  const rows = await withRoles(ctx, userId)
    .select(['m.id as memberId', 'm.project_id as projectId', 'mr.given_at as roleGivenAt'])
    .execute();
  const given = rows.flatMap(({ roleGivenAt }) => (roleGivenAt === null ? [] : [roleGivenAt.getTime()]));
  return {
    memberships: rows.map(({ memberId, projectId }) => ({ memberId, projectId })),
    lastRoleAt: given.length === 0 ? null : new Date(Math.max(...given)),
  };
}

/** {@link listMemberships} as the person sees them: without closed projects. */
export async function ownMemberships(ctx: Ctx, userId: UserId, query: Static<typeof PageQuery> & { only?: MemberId }) {
  const { items, nextCursor } = await listMemberships(ctx, userId, query);
  const closed = await Promise.all(items.map((item) => isClosed(ctx.system, item)));
  return { items: items.filter((_, index) => !closed[index]), nextCursor };
}

/** What is asked about a person's memberships in all projects of the workspace. */
export const membershipsOf = { list: listMemberships, own: ownMemberships, reachOf };
