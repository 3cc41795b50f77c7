import type { Ctx, Environment, TxCtx } from '#platform/ctx.ts';
import type { Id, OrganizationId, ProjectId, WorkspaceId } from '#platform/ids.ts';
import { inScope } from '#platform/scoped.ts';

type ScimGroupMembersTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  organization_id: OrganizationId;
  group_id: Id<'scg'>;
  scim_user_id: Id<'scu'>;
};

declare module '#platform/db.ts' {
  interface Tables {
    scim_group_members: ScimGroupMembersTable;
  }
}

export function membershipsOf(ctx: Ctx | TxCtx, organizationId: OrganizationId) {
  return ctx.db.selectFrom('scim_group_members').where(inScope(ctx)).where('organization_id', '=', organizationId);
}

/** A group that a user is in. */
type GroupOfUser = { id: Id<'scg'>; name: string; roles: string[] };

/** The groups of each user; users without groups are left out. Served by scim_groups_of_user. */
export async function groupsOfUsers(
  ctx: Ctx | TxCtx,
  organizationId: OrganizationId,
  ids: readonly Id<'scu'>[],
): Promise<Map<Id<'scu'>, GroupOfUser[]>> {
  if (ids.length === 0) return new Map();
  const rows = await ctx.db
    .selectFrom('scim_group_members as m')
    .innerJoin('scim_groups as g', (join) =>
      join
        .onRef('g.workspace_id', '=', 'm.workspace_id')
        .onRef('g.project_id', '=', 'm.project_id')
        .onRef('g.environment', '=', 'm.environment')
        .onRef('g.organization_id', '=', 'm.organization_id')
        .onRef('g.id', '=', 'm.group_id'),
    )
    .select(['m.scim_user_id as userId', 'g.id', 'g.attributes', 'g.roles'])
    .where(inScope(ctx, 'm'))
    .where('m.organization_id', '=', organizationId)
    .where('m.scim_user_id', 'in', [...ids])
    .orderBy('g.id')
    .execute();
  const byUser = Map.groupBy(rows, ({ userId }) => userId);
  return new Map(
    [...byUser].map(([userId, groups]) => [
      userId,
      groups.map(({ id, attributes, roles }) => ({ id, name: String(attributes['displayName']), roles })),
    ]),
  );
}
