export { type Access, accessOf, permissionsOf, requirePermission, requireToGrant } from './access.ts';
export { authorizationRoutes } from './authorization.me.ts';
export { contextRoutes } from './context.me.ts';
export { invitationRoutes } from './invitations.admin.ts';
export { acceptInvitation, findInvitation } from './invitations.ts';
export { memberRoutes } from './members.admin.ts';
export {
  addMember,
  changeMember,
  countMembers,
  findMember,
  getMember,
  listMembers as searchMembers,
  Member,
  MemberRef,
  memberSeen,
} from './members.ts';
export { membershipRoutes } from './memberships.me.ts';
export { permissionRoutes } from './permissions.admin.ts';
export { permissionKeys } from './permissions.ts';
export { roleRoutes } from './roles.admin.ts';
export { setUpRoles } from './roles.ts';
export { activeOwners } from './standing.ts';
