import { membershipsOf } from '#members';
import { homeOf, usersById } from '#people';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import { inScope } from '#platform/scoped.ts';
import type { InOrganization } from '#platform/standing.ts';
import { organizationAt } from './organization-domains.ts';

/**
 * Whether an account is wholly an organization's: it was made for it, by its directory or by a sign-in through its
 * connection, and its person has no role in the project and is in no other organization or project. What decides about
 * such an account reaches nothing else. Served by primary keys, members_of_user and organizations_of_member.
 */
async function isWholly(ctx: Ctx | TxCtx, { organizationId, userId }: InOrganization): Promise<boolean> {
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

/**
 * Whether an organization decides about the credentials and addresses of an account, too: it is wholly the organization's,
 * and its person proved no address of their own, outside of the organization's verified mail domains.
 */
async function isUnclaimed(ctx: Ctx | TxCtx, who: InOrganization): Promise<boolean> {
  if (!(await isWholly(ctx, who))) return false;
  const user = (await usersById(ctx, [who.userId])).get(who.userId);
  if (!user || user.phoneVerified) return false;
  return !user.emailVerified || !user.email || (await organizationAt(ctx, user.email)) === who.organizationId;
}

/** What an organization may decide about an account. */
export const ownAccounts = { isWholly, isUnclaimed };
