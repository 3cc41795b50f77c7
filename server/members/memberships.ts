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
export async function listMemberships(
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

/** {@link listMemberships} as the person sees them: without closed projects. */
export async function ownMemberships(ctx: Ctx, userId: UserId, query: Static<typeof PageQuery> & { only?: MemberId }) {
  const { items, nextCursor } = await listMemberships(ctx, userId, query);
  const closed = await Promise.all(items.map((item) => isClosed(ctx.system, item)));
  return { items: items.filter((_, index) => !closed[index]), nextCursor };
}
