export { whenAbsent } from './absent-actors.ts';
export {
  type Access,
  accessOf,
  permissionsOf,
  requirePermission,
} from './access.ts';
export { AUTHORITY, RULES, requireAuthority } from './authority.ts';
export { adminAuthorizationRoutes } from './authorization.admin.ts';
export { authorizationRoutes } from './authorization.me.ts';
export { contextRoutes } from './context.me.ts';
export { reportImport } from './import-report.ts';
export { type ImportFormat, receiveImport } from './import-upload.ts';
export { importChunk, importTask } from './import-work.ts';
export { importRoutes } from './imports.admin.ts';
export { forgetOldImports, getImport, type MemberImport } from './imports.ts';
export { invitationRoutes } from './invitations.admin.ts';
export {
  acceptInvitation,
  findInvitation,
  forgetInvitations,
  invitationsTo,
  projectOfInvitation,
  withdrawUnbacked,
} from './invitations.ts';
export { leaveProject } from './leaving.ts';
export { exportMembers, memberCount, noteExport } from './member-export.ts';
export { listMembers as searchMembers } from './member-list.ts';
export { provisioningRoutes } from './member-provisioning.admin.ts';
export { memberRoutes } from './members.admin.ts';
export {
  addMember,
  changeMember,
  findMember,
  getMember,
  Member,
  MemberRef,
  memberSeen,
} from './members.ts';
export { membershipRoutes } from './memberships.me.ts';
export { listMemberships, ownMemberships } from './memberships.ts';
export { permissionRoutes } from './permissions.admin.ts';
export { permissionKeys, requireKnownPermissions } from './permissions.ts';
export { memberRemovals } from './removal.ts';
export { roleRoutes } from './roles.admin.ts';
export { setUpRoles } from './roles.ts';
export { activeOwners, keepOwnersWithout } from './standing.ts';
