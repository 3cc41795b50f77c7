import { membershipsOf } from '#members';
import { homeOf } from '#people';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import { inScope } from '#platform/scoped.ts';
import type { InOrganization } from '#platform/standing.ts';

/**
 * Whether an account is wholly an organization's: it was made for it, by its directory or by a sign-in through its
 * connection, and its person has no role in the project and is in no other organization or project. What decides about
 * such an account reaches nothing else. Served by primary keys, members_of_user and organizations_of_member.
 */
export async function isWholly(ctx: Ctx | TxCtx, { organizationId, userId }: InOrganization): Promise<boolean> {
  const home = await homeOf(ctx, userId);
  if (home?.organizationId !== organizationId || home.projectId !== ctx.scope.projectId) return false;
  const { memberships, lastRoleAt } = await membershipsOf.reachOf(ctx, userId);
  const [only, ...others] = memberships;
  if (lastRoleAt !== null || only?.projectId !== ctx.scope.projectId || others.length > 0) return false;
  const elsewhere = await ctx.db
    .selectFrom('organization_members')
    .select('organization_id')
    .where(inScope(ctx))
    .where('member_id', '=', only.memberId)
    .where('organization_id', '!=', organizationId)
    .limit(1)
    .executeTakeFirst();
  return elsewhere === undefined;
}
