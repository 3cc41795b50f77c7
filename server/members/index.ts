export { couldStill, permissionsNow, whenAbsent } from './absent-actors.ts';
export { type Access, accessOf, permissionsOf, requirePermission } from './access.ts';
export { AUTHORITY, actsForWorkspace, excessAmong, RULES, requireAuthority } from './authority.ts';
export { adminAuthorizationRoutes } from './authorization.admin.ts';
export { authorizationRoutes } from './authorization.me.ts';
export { contextRoutes } from './context.me.ts';
export { leaveProject } from './leaving.ts';
export { listMembers as searchMembers } from './member-list.ts';
export { provisioningRoutes } from './member-provisioning.admin.ts';
export { addresses, Metadata } from './member-provisioning.ts';
export { memberRoutes } from './members.admin.ts';
export {
  addMember,
  addRoles,
  changeMember,
  findMember,
  getMember,
  type KnownAs,
  knownAs,
  Member,
  MemberRef,
  memberSeen,
} from './members.ts';
export { insertMembers, memberCount, membersAfter, membersAmong, type NewMember, roleKeys } from './members-in-bulk.ts';
export { membershipRoutes } from './memberships.me.ts';
export { listMemberships, ownMemberships } from './memberships.ts';
export { membersPart } from './part.ts';
export { permissionRoutes } from './permissions.admin.ts';
export { permissionKeys, requireKnownPermissions } from './permissions.ts';
export { roleRoutes } from './roles.admin.ts';
export { lockKnownRoles, lockRolesByKey, RoleKey, setUpRoles } from './roles.ts';
export { activeOwners, keepOwnersWithout } from './standing.ts';
