import { sql } from 'kysely';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { MemberId, OrganizationId } from '#platform/ids.ts';
import { inScope } from '#platform/scoped.ts';
import type { ScimGroupId } from './groups.ts';

/** A group of a directory that a member of the project is in. */
type GroupOfMember = { memberId: MemberId; organizationId: OrganizationId; groupId: ScimGroupId };

/**
 * The groups of these members, as far as their directories have not deactivated them. Looks up each member separately,
 * which a planner without statistics would not do. Served by scim_users_of_member and scim_groups_of_user.
 */
export async function groupsOfMembers(ctx: Ctx | TxCtx, memberIds: readonly MemberId[]): Promise<GroupOfMember[]> {
  if (memberIds.length === 0) return [];
  const { workspaceId, projectId, environment } = ctx.scope;
  const { rows } = await sql<GroupOfMember>`
    select wanted.member_id as "memberId", u.organization_id as "organizationId", g.group_id as "groupId"
    from unnest(${[...memberIds]}::text[]) as wanted (member_id)
    cross join lateral (
      select organization_id, id from scim_users
      where workspace_id = ${workspaceId} and project_id = ${projectId} and environment = ${environment}
        and member_id = wanted.member_id and active offset 0) u
    cross join lateral (
      select group_id from scim_group_members
      where workspace_id = ${workspaceId} and project_id = ${projectId} and environment = ${environment}
        and organization_id = u.organization_id and scim_user_id = u.id offset 0) g`.execute(ctx.db);
  return rows;
}

/** Those of these groups that the project has. Served by scim_groups_id. */
export async function knownGroups(ctx: Ctx | TxCtx, ids: readonly ScimGroupId[]): Promise<ReadonlySet<ScimGroupId>> {
  if (ids.length === 0) return new Set();
  const rows = await ctx.db
    .selectFrom('scim_groups')
    .select('id')
    .where(inScope(ctx))
    .where('id', '=', sql<ScimGroupId>`any(${[...ids]})`)
    .execute();
  return new Set(rows.map(({ id }) => id));
}
