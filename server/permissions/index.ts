export { permissionsPart } from './part.ts';
export {
  allPermissionKeys,
  PermissionKey,
  permissionKeys,
  refuseBuiltIn,
  removePermission,
  requireKnownPermissions,
} from './permissions.ts';
export { routes } from './routes.ts';
