export { joinOrganization } from './organization-members.ts';
export { lockKnownRoles, lockOrganizationRoles } from './organization-roles.ts';
export { lockOrganization } from './organizations.ts';
export { organizationsOf } from './own-organizations.ts';
export { part } from './part.ts';
