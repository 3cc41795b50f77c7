import { membershipsOf } from '#members';
import { homeOf, usersById } from '#people';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import { inScope } from '#platform/scoped.ts';
import type { InOrganization } from '#platform/standing.ts';
import { organizationAt } from './organization-domains.ts';

/**
 * Whether an account is wholly an organization's: its directory or a sign-in through its connection made the account, and
 * the person has no role in the project and is in no other organization or project. Changes of such an account
 * concern nobody else. Served by primary keys, members_of_user and organizations_of_member.
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
 * Whether the person proved an address that is not the organization's: a phone number, or an email address outside of its
 * verified mail domains. Then the organization does not decide about credentials and addresses, even of an account that is
 * wholly its own.
 */
async function hasOwnAddress(ctx: Ctx | TxCtx, { organizationId, userId }: InOrganization): Promise<boolean> {
  const user = (await usersById(ctx, [userId])).get(userId);
  if (!user) return false;
  if (user.phoneVerified) return true;
  return user.emailVerified && user.email !== null && (await organizationAt(ctx, user.email)) !== organizationId;
}

/** What decides how far an organization may change an account. */
export const ownAccounts = { isWholly, hasOwnAddress };
