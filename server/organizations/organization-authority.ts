import { requireAuthority } from '#members';
import type { TxCtx } from '#platform/ctx.ts';
import { isOrganizationPermission, type OrganizationPermission } from './organization-permissions.ts';
import { type OrganizationRole, ownPermissions } from './organization-roles.ts';

/** The actions on members, domains and invitations of an organization, and the permission in it that each requires. */
const ACTS = {
  'organization.member.add': 'org.members:write',
  'organization.member.roles.replace': 'org.members:write',
  'organization.member.remove': 'org.members:write',
  'organization.domain.change': 'org.domains:write',
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
