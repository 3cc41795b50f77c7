export { couldStill, permissionsNow, whenAbsent } from './absent-actors.ts';
export { type Access, accessOf, permissionsOf, requirePermission } from './access.ts';
export { AUTHORITY, actsForWorkspace, excessAmong, RULES, requireAuthority } from './authority.ts';
export { leaveProject } from './leaving.ts';
export { activeOwners, keepOwnersWithout } from './member-actions.ts';
export { listMembers as searchMembers } from './member-list.ts';
export { addresses, Metadata } from './member-provisioning.ts';
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
export { listMemberships, ownMemberships } from './memberships.ts';
export { membersPart } from './part.ts';
export { permissionKeys, requireKnownPermissions } from './permissions.ts';
export { lockKnownRoles, lockRolesByKey, RoleKey, setUpRoles } from './roles.ts';
export { routes } from './routes.ts';
