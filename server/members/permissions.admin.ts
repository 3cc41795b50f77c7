import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';
import { PageOf } from '#platform/page.ts';
import { problemResponses } from '#platform/problem.ts';
import { deletePermission } from './permission-removal.ts';
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

export const permissionRoutes: Routes = (app) => {
  app.get(
    '/v1/admin/permissions',
    {
      config: { permission: 'permissions:read' },
      schema: {
        summary: 'List permissions',
        querystring: PermissionQuery,
        response: { 200: PageOf(Permission), ...problemResponses('INVALID_CURSOR') },
      },
    },
    (request) => listPermissions(request.ctx, request.query),
  );

  app.post(
    '/v1/admin/permissions',
    {
      config: { permission: 'permissions:write', stepUp: false },
      schema: {
        summary: 'Add a permission',
        body: NewPermission,
        response: { 201: Permission, ...problemResponses('ALREADY_EXISTS', 'CONFLICT') },
      },
    },
    async (request, reply) => reply.code(201).send(await createPermission(request.ctx, request.body)),
  );

  app.get(
    '/v1/admin/permissions/:key',
    {
      config: { permission: 'permissions:read', etag: true },
      schema: {
        summary: 'Read a permission',
        params: PermissionRef,
        response: { 200: Permission, ...problemResponses('NOT_FOUND') },
      },
    },
    (request) => getPermission(request.ctx, request.params.key),
  );

  app.patch(
    '/v1/admin/permissions/:key',
    {
      config: { permission: 'permissions:write', stepUp: false },
      schema: {
        summary: 'Describe a permission',
        params: PermissionRef,
        body: PermissionChanges,
        response: { 200: Permission, ...problemResponses('NOT_FOUND', 'CONFLICT') },
      },
    },
    (request) => describePermission(request.ctx, request.params.key, request.body.description),
  );

  app.delete(
    '/v1/admin/permissions/:key',
    {
      config: { permission: 'permissions:write', stepUp: true },
      schema: {
        summary: 'Remove a permission',
        params: PermissionRef,
        response: { 204: Type.Null(), ...problemResponses('NOT_FOUND', 'CONFLICT') },
      },
    },
    async (request, reply) => {
      await deletePermission(request.ctx, request.params.key);
      return reply.code(204).send(null);
    },
  );
};
