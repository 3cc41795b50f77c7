import { type Selectable, sql } from 'kysely';
import type { Ctx } from '#platform/ctx.ts';
import type { Tables } from '#platform/db.ts';
import type { OrganizationId, SessionId, UserId } from '#platform/ids.ts';
import { inRealm, inScope } from '#platform/scoped.ts';

/** A page of a list, newest first; `before` is the id of the last session that was read. */
type Wanted = { limit: number; before?: SessionId | undefined; only?: SessionId };

/** A session as lists show it. */
function recordOf(row: Selectable<Tables['sessions']>) {
  return {
    id: row.id,
    amr: row.amr,
    acr: row.acr,
    authTime: row.auth_time.toISOString(),
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    lastSeenAt: row.last_seen_at.toISOString(),
    ip: row.ip,
    userAgent: row.user_agent,
    country: row.country,
  };
}

/** The sessions of a user: the live ones, or with `ended` every stored one. Served by sessions_of_user. */
export async function sessionsOfUser(
  ctx: Pick<Ctx, 'db' | 'scope' | 'now'>,
  userId: UserId,
  { limit, before, only, ended = false }: Wanted & { ended?: boolean },
) {
  let query = ctx.db
    .selectFrom('sessions')
    .selectAll()
    .where(inRealm(ctx))
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .limit(limit);
  if (!ended) query = query.where('revoked_at', 'is', null).where('expires_at', '>', ctx.now);
  if (before !== undefined) query = query.where('id', '<', before);
  if (only !== undefined) query = query.where('id', '=', only);
  const rows = await query.execute();
  return rows.map((row) => ({
    ...recordOf(row),
    revokedAt: row.revoked_at?.toISOString() ?? null,
    revokeReason: row.revoke_reason,
  }));
}

/** The live sessions in `ctx.scope`'s project. Served by scope_entries_of_project and primary keys. */
export async function sessionsOfProject(
  ctx: Pick<Ctx, 'db' | 'scope' | 'now'>,
  { limit, before, only, userId }: Wanted & { userId?: UserId | undefined },
) {
  let query = ctx.db
    .selectFrom('scope_entries as e')
    .innerJoin('sessions as s', (join) =>
      join
        .onRef('s.workspace_id', '=', 'e.workspace_id')
        .onRef('s.environment', '=', 'e.environment')
        .onRef('s.id', '=', 'e.session_id'),
    )
    // A session is listed once, however many grants led it into the project.
    .distinctOn('e.session_id')
    .selectAll('s')
    .select(
      sql<OrganizationId[]>`array(select organization_id from scope_entries
        where workspace_id = ${ctx.scope.workspaceId} and environment = e.environment and project_id = e.project_id
          and session_id = e.session_id and organization_id is not null and revoked_at is null
        group by organization_id order by organization_id)`.as('organizationIds'),
    )
    .where(inScope(ctx, 'e'))
    .where('e.revoked_at', 'is', null)
    .where('s.revoked_at', 'is', null)
    .where('s.expires_at', '>', ctx.now)
    .orderBy('e.session_id', 'desc')
    .limit(limit);
  if (before !== undefined) query = query.where('e.session_id', '<', before);
  if (userId !== undefined) query = query.where('e.user_id', '=', userId);
  if (only !== undefined) query = query.where('e.session_id', '=', only);
  const rows = await query.execute();
  return rows.map((row) => ({ ...recordOf(row), userId: row.user_id, organizationIds: row.organizationIds }));
}
