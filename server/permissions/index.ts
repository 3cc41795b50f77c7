export { lockPermissionHolders, permissionsChanged, takeFromPermissionHolders } from './changes.ts';
export { part } from './part.ts';
export {
  allPermissionKeys,
  PermissionKey,
  permissionKeys,
  refuseBuiltIn,
  removePermission,
  requireKnownPermissions,
  requireOwnPermissions,
} from './permissions.ts';
