import { Type } from 'typebox';
import { PermissionKey } from '#permissions';
import { del, type Routes } from '#platform/route.ts';
import { deletePermission } from './permission-removal.ts';

export const permissionRemovalRoutes: Routes = [
  del('/v1/admin/permissions/:key', {
    permission: 'permissions:write',
    stepUp: true,
    summary: 'Remove a permission',
    params: Type.Object({ key: PermissionKey }),
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) => deletePermission(request.ctx, request.params.key),
  }),
];
