import { projectOf } from '#environments';
import { accessOf, holdRoles } from '#members';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import { inScope } from '#platform/scoped.ts';
import type { InOrganization, Standing } from '#platform/standing.ts';
import { permissionsOfRoles } from './organization-roles.ts';
import { effectivePolicy, policyOf } from './policies.ts';

/**
 * What a person is in an organization. In a transaction it holds until the end: a change of the membership or the
 * organization waits, and then ends what the transaction made. Served by primary keys.
 */
export async function standing(
  ctx: Ctx | TxCtx,
  { organizationId, userId }: InOrganization,
): Promise<Standing | undefined> {
  const { memberId } = await accessOf(ctx, userId);
  if (memberId === null) return undefined;
  const query = ctx.db
    .selectFrom('organization_members as m')
    .innerJoin('organizations as o', (join) =>
      join
        .onRef('o.workspace_id', '=', 'm.workspace_id')
        .onRef('o.project_id', '=', 'm.project_id')
        .onRef('o.environment', '=', 'm.environment')
        .onRef('o.id', '=', 'm.organization_id'),
    )
    .select(['o.id', 'o.name', 'o.slug', 'o.status', 'o.policy', 'm.roles'])
    .where(inScope(ctx, 'm'))
    .where('m.organization_id', '=', organizationId)
    .where('m.member_id', '=', memberId);
  // One after the other, as all transactions do: a statement that locks both takes the membership first.
  if (ctx.afterCommit) {
    await query.forShare('o').executeTakeFirst();
    await holdRoles(ctx, userId);
  }
  const row = await (ctx.afterCommit ? query.forShare('m') : query).executeTakeFirst();
  if (!row) return undefined;
  const { settings } = await projectOf(ctx.system, ctx.scope);
  const policy = effectivePolicy(settings, policyOf(row.policy));
  return { ...row, policy, permissions: (await permissionsOfRoles(ctx))(row.roles) };
}
