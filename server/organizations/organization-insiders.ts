import { accessOf } from '#members';
import { type Ctx, customerOf, type TxCtx, transaction } from '#platform/ctx.ts';
import type { OrganizationId, UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { requireEntering } from '#platform/standing.ts';
import type { SelfServiceArea } from '#settings';
import {
  type Authority,
  closedAreaOf,
  excessInside,
  type OrganizationAct,
  permissionFor,
} from './organization-authority.ts';
import type { OrganizationPermission } from './organization-permissions.ts';
import type { OrganizationRole } from './organization-roles.ts';
import { lockOrganization } from './organizations.ts';
import { getOwnOrganization, membershipIn, type OwnOrganization } from './own-organizations.ts';

/** The problems of every route that requires a permission in an organization. */
export const PROBLEMS_INSIDE = [
  'NOT_FOUND',
  'AUTHORIZATION_DENIED',
  'ORGANIZATION_BLOCKED',
  'ORGANIZATION_ADDRESS',
  'ORGANIZATION_METHOD',
  'MEMBERSHIP_REQUIRED',
  'REAUTHENTICATION_REQUIRED',
] as const;

/**
 * Returns an organization in which the signed-in person has a permission, if their session may enter it now. A role alone
 * would let in whom the policy of the organization, or its required connection, keeps out.
 * @throws Problem NOT_FOUND if they are not in it, ORGANIZATION_BLOCKED, AUTHORIZATION_DENIED, ORGANIZATION_ADDRESS,
 * ORGANIZATION_METHOD, REAUTHENTICATION_REQUIRED
 */
export async function requireInside(
  ctx: Ctx,
  organizationId: OrganizationId,
  permission: OrganizationPermission,
): Promise<OwnOrganization> {
  const own = await requirePermission(ctx, organizationId, permission);
  await requireEntering(ctx, organizationId);
  return own;
}

async function requirePermission(
  ctx: Ctx | TxCtx,
  organizationId: OrganizationId,
  permission: OrganizationPermission,
): Promise<OwnOrganization> {
  const own = await getOwnOrganization(ctx, organizationId);
  if (own.status === 'blocked') throw problem('ORGANIZATION_BLOCKED');
  if (!own.permissions.includes(permission)) throw denied(permission);
  const closed = await closedAreaOf(ctx, permission);
  if (closed !== undefined) throw leftToAdministrators(closed);
  return own;
}

/**
 * Runs a change that the signed-in person makes to an organization they are in. Checks the person before the lock, so that
 * outsiders can't take the lock, and the permission again after it, because from then on nobody can change their roles.
 * @throws Problem as {@link requireInside}
 */
export async function changeInside<T>(
  ctx: Ctx,
  organizationId: OrganizationId,
  permission: OrganizationPermission,
  change: (tx: TxCtx) => Promise<T>,
): Promise<T> {
  await requireInside(ctx, organizationId, permission);
  return transaction(ctx, async (tx) => {
    await lockOrganization(tx, organizationId);
    await requirePermission(tx, organizationId, permission);
    return change(tx);
  });
}

/** The authority of a member of the organization by their permissions in it. Permissions in the project do not count. */
export function asInsider(organizationId: OrganizationId): Authority {
  return async (tx, act, roles) => {
    const held = await heldInside(tx, organizationId, customerOf(tx).userId);
    const excess = excessInside(held, act, roles);
    if (excess !== undefined) throw denied(excess);
    const closed = await closedAreaOf(tx, permissionFor(act));
    if (closed !== undefined) throw leftToAdministrators(closed);
  };
}

/**
 * Whether a person may do this in the organization now. Does not check whether the organization is blocked. The caller has
 * locked it.
 */
async function mayInside(
  tx: TxCtx,
  { organizationId, userId }: { organizationId: OrganizationId; userId: UserId },
  act: OrganizationAct,
  roles: readonly OrganizationRole[],
): Promise<boolean> {
  if (excessInside(await heldInside(tx, organizationId, userId), act, roles) !== undefined) return false;
  return (await closedAreaOf(tx, permissionFor(act))) === undefined;
}

/** Those of the roles that a person may give in the organization now, by each of these acts. Checks as {@link mayInside}. */
async function givableInside(
  tx: TxCtx,
  { organizationId, userId }: { organizationId: OrganizationId; userId: UserId },
  acts: readonly OrganizationAct[],
  roles: readonly OrganizationRole[],
): Promise<OrganizationRole[]> {
  const held = await heldInside(tx, organizationId, userId);
  for (const act of acts) {
    // biome-ignore lint/performance/noAwaitInLoops: at most two, on one connection
    if ((await closedAreaOf(tx, permissionFor(act))) !== undefined) return [];
  }
  return roles.filter((role) => acts.every((act) => excessInside(held, act, [role]) === undefined));
}

/** The permissions of a person in an organization; none while their membership of the project is blocked. */
async function heldInside(tx: TxCtx, organizationId: OrganizationId, userId: UserId): Promise<readonly string[]> {
  const { memberId, status } = await accessOf(tx, userId);
  if (memberId === null || status !== 'active') return [];
  return (await membershipIn(tx, organizationId, memberId))?.permissions ?? [];
}

function denied(requiredPermission: string) {
  return problem('AUTHORIZATION_DENIED', {
    detail: `You need "${requiredPermission}" in this organization. You can give or take away only permissions that you have in it.`,
    extensions: { requiredPermission },
  });
}

function leftToAdministrators(area: SelfServiceArea) {
  return problem('AUTHORIZATION_DENIED', {
    detail: `This project leaves this to its administrators: the setting "organizationSelfService" does not have "${area}".`,
  });
}

/** What other parts need for what members manage in their organization. */
export const inside = {
  problems: PROBLEMS_INSIDE,
  require: requireInside,
  change: changeInside,
  may: mayInside,
  givable: givableInside,
  authority: asInsider,
};
