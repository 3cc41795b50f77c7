import { requireAuthority } from '#members';
import type { TxCtx } from '#platform/ctx.ts';
import { isOrganizationPermission, type OrganizationPermission } from './organization-permissions.ts';
import { type OrganizationRole, ownPermissions } from './organization-roles.ts';

/** What is done to members of an organization or to its invitations, and the permission in it that this takes. */
const ACTS = {
  'organization.member.add': 'org.members:write',
  'organization.member.roles.replace': 'org.members:write',
  'organization.member.remove': 'org.members:write',
  'invitation.create': 'org.invitations:write',
  'invitation.resend': 'org.invitations:write',
  'invitation.revoke': 'org.invitations:write',
} as const satisfies Record<string, OrganizationPermission>;
export type OrganizationAct = keyof typeof ACTS;

/**
 * Checks that the actor may do this, with all roles that are given or taken. The caller has locked the organization and
 * the roles.
 * @throws Problem AUTHORIZATION_DENIED
 */
export type Authority = (tx: TxCtx, act: OrganizationAct, roles: readonly OrganizationRole[]) => Promise<void>;

/** The authority of those who manage the organizations of the project: their permissions in the project count. */
export const asAdministrator: Authority = (tx, act, roles) =>
  requireAuthority(tx, act, { grants: roles.flatMap(({ permissions }) => ownPermissions(permissions)) });

/**
 * The only comparison of strength inside an organization: returns the first permission that somebody who holds these
 * permissions lacks for an act. The project's own permissions in a role do not count when the role is delegable, or when
 * a member is removed: they give no power over the organization.
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
