import { sql } from 'kysely';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { MemberId, OrganizationId } from '#platform/ids.ts';
import { inScope } from '#platform/scoped.ts';
import type { OrganizationMembership } from '#platform/standing.ts';

/**
 * The memberships of these members in the organizations of the project that are not blocked. Looks up each member
 * separately, which a planner without statistics would not do. Served by organizations_of_member and primary keys.
 */
export async function memberships(ctx: Ctx | TxCtx, memberIds: readonly MemberId[]): Promise<OrganizationMembership[]> {
  if (memberIds.length === 0) return [];
  const { workspaceId, projectId, environment } = ctx.scope;
  const { rows } = await sql<OrganizationMembership>`
    select m.member_id as "memberId", m.organization_id as "organizationId", o.name, m.roles
    from unnest(${[...memberIds]}::text[]) as wanted (member_id)
    cross join lateral (
      select member_id, organization_id, roles from organization_members
      where workspace_id = ${workspaceId} and project_id = ${projectId} and environment = ${environment}
        and member_id = wanted.member_id offset 0) m
    cross join lateral (
      select name from organizations
      where workspace_id = ${workspaceId} and project_id = ${projectId} and environment = ${environment}
        and id = m.organization_id and status = 'active' offset 0) o
    order by m.organization_id`.execute(ctx.db);
  return rows;
}

/** Those of these organizations that the project has. Served by the primary key. */
export async function known(ctx: Ctx | TxCtx, ids: readonly OrganizationId[]): Promise<ReadonlySet<OrganizationId>> {
  if (ids.length === 0) return new Set();
  const rows = await ctx.db
    .selectFrom('organizations')
    .select('id')
    .where(inScope(ctx))
    .where('id', '=', sql<OrganizationId>`any(${[...ids]})`)
    .execute();
  return new Set(rows.map(({ id }) => id));
}
