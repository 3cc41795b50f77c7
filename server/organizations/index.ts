export { directoryMembers, rolesInOrganization } from './directory-members.ts';
export { importedMemberships } from './imported-memberships.ts';
export { isNewIn } from './joining-by-domain.ts';
export { asAdministrator } from './organization-authority.ts';
export { isAtInvitedDomain, organizationAt } from './organization-domains.ts';
export { inside } from './organization-insiders.ts';
export { joinOrganization, requireRoomInOrganization } from './organization-members.ts';
export {
  lockJoiningRoles,
  lockKnownRoles,
  lockOrganizationRoles,
  ownPermissions,
} from './organization-roles.ts';
export { organizationSetUp } from './organization-set-up.ts';
export {
  createOrganization,
  findOrganizationId,
  getOrganization,
  lockOrganization,
  OrganizationRef,
  organizationNames,
} from './organizations.ts';
export { organizationsOf } from './own-organizations.ts';
export { part } from './part.ts';
export { getOrganizationPolicy } from './policies.ts';
export { ownAccounts } from './whole-accounts.ts';
