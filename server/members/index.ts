export { authorityNow } from './absent-actors.ts';
export { accessOf, accessOfEach, requirePermission } from './access.ts';
export { requireAuthority } from './authority.ts';
export { entering } from './entering.ts';
export { leaveProject } from './leaving.ts';
export { managedMembers } from './managed-members.ts';
export { activeOwners, keepOwnersWithout } from './member-actions.ts';
export { addMember, addRoles, changeMember, holdRoles, membersById } from './members.ts';
export {
  insertMembers,
  memberCount,
  membersAfter,
  membershipsByUser,
  outgrewEstimate,
} from './members-in-bulk.ts';
export { membershipsOf } from './memberships.ts';
export { part } from './part.ts';
export { lockRoles, RoleKey, setUpRoles } from './roles.ts';
