import { projectOf } from '#environments';
import { requireAuthority } from '#members';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { SelfServiceArea } from '#settings';
import { AREAS, isOrganizationPermission, type OrganizationPermission } from './organization-permissions.ts';
import { type OrganizationRole, ownPermissions } from './organization-roles.ts';

/** The actions of members on their organization and what belongs to it, and the permission in it that each requires. */
const ACTS = {
  'organization.member.add': 'org.members:write',
  'organization.member.roles.replace': 'org.members:write',
  'organization.member.remove': 'org.members:write',
  'organization.domain.change': 'org.domains:write',
  'organization.connection.change': 'org.connections:write',
  'organization.directory.change': 'org.directory:write',
  'organization.policy.change': 'org.policy:write',
  'organization.setup_link.create': 'org.profile:write',
  'invitation.create': 'org.invitations:write',
  'invitation.resend': 'org.invitations:write',
  'invitation.revoke': 'org.invitations:write',
} as const satisfies Record<string, OrganizationPermission>;
export type OrganizationAct = keyof typeof ACTS;

/**
 * Checks that the actor may do this and may give or take each of these roles. The caller has locked the organization and
 * the roles.
 * @throws Problem AUTHORIZATION_DENIED
 */
export type Authority = (tx: TxCtx, act: OrganizationAct, roles: readonly OrganizationRole[]) => Promise<void>;

/** The authority of people and clients who manage all organizations of the project by their permissions in the project. */
export const asAdministrator: Authority = (tx, act, roles) =>
  requireAuthority(tx, act, { grants: roles.flatMap(({ permissions }) => ownPermissions(permissions)) });

/**
 * Returns the first permission that an actor with the permissions `held` lacks for an action; undefined if the actor
 * lacks none. All checks of authority inside an organization use it. The project's own permissions in a role do not
 * count if the role is delegable or the action removes a member, because they give no power over the organization.
 */
export function excessInside(
  held: readonly string[],
  act: OrganizationAct,
  roles: readonly OrganizationRole[],
): string | undefined {
  const needed = roles.flatMap(({ permissions, delegable }) =>
    delegable || act === 'organization.member.remove' ? permissions.filter(isOrganizationPermission) : permissions,
  );
  return [ACTS[act], ...needed].find((key) => !held.includes(key));
}

/**
 * The area of a permission if members may not manage it in this project now; undefined: they may. Reads the setting
 * itself, not a copy, so that the next request after a change is decided by it.
 */
export async function closedAreaOf(
  { system, scope, db }: Ctx | TxCtx,
  permission: OrganizationPermission,
): Promise<SelfServiceArea | undefined> {
  const area = AREAS[permission];
  if (area === undefined) return undefined;
  const { settings } = await projectOf(system, scope, db);
  return settings.organizationSelfService.includes(area) ? undefined : area;
}

/** The permission in the organization that an action requires. */
export function permissionFor(act: OrganizationAct): OrganizationPermission {
  return ACTS[act];
}
