import { PageOf } from '#platform/page.ts';
import { get, patch, post, type Routes } from '#platform/route.ts';
import {
  createPermission,
  describePermission,
  getPermission,
  listPermissions,
  NewPermission,
  Permission,
  PermissionChanges,
  PermissionQuery,
  PermissionRef,
} from './permissions.ts';

export const permissionRoutes: Routes = [
  get('/v1/admin/permissions', {
    permission: 'permissions:read',
    summary: 'List permissions',
    query: PermissionQuery,
    responses: { 200: PageOf(Permission) },
    problems: ['INVALID_CURSOR'],
    handler: (request) => listPermissions(request.ctx, request.query),
  }),
  post('/v1/admin/permissions', {
    permission: 'permissions:write',
    stepUp: false,
    summary: 'Add a permission',
    body: NewPermission,
    responses: { 201: Permission },
    problems: ['ALREADY_EXISTS', 'CONFLICT'],
    handler: (request) => createPermission(request.ctx, request.body),
  }),
  get('/v1/admin/permissions/:key', {
    permission: 'permissions:read',
    etag: true,
    summary: 'Read a permission',
    params: PermissionRef,
    responses: { 200: Permission },
    problems: ['NOT_FOUND'],
    handler: (request) => getPermission(request.ctx, request.params.key),
  }),
  patch('/v1/admin/permissions/:key', {
    permission: 'permissions:write',
    stepUp: false,
    summary: 'Change the description of a permission',
    params: PermissionRef,
    body: PermissionChanges,
    responses: { 200: Permission },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) => describePermission(request.ctx, request.params.key, request.body.description),
  }),
];
