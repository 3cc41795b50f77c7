import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';
import { PageOf } from '#platform/page.ts';
import { problemResponses } from '#platform/problem.ts';
import {
  createRole,
  deleteRole,
  getRole,
  listRoles,
  NewRole,
  Role,
  RoleChanges,
  RolePermissions,
  RoleQuery,
  RoleRef,
  setRolePermissions,
  updateRole,
} from './roles.ts';

export const roleRoutes: Routes = (app) => {
  app.get(
    '/v1/admin/roles',
    {
      config: { permission: 'roles:read' },
      schema: {
        summary: 'List roles',
        querystring: RoleQuery,
        response: { 200: PageOf(Role), ...problemResponses('INVALID_CURSOR') },
      },
    },
    (request) => listRoles(request.ctx, request.query),
  );

  app.post(
    '/v1/admin/roles',
    {
      config: { permission: 'roles:write', stepUp: true },
      schema: { summary: 'Add a role', body: NewRole, response: { 201: Role, ...problemResponses('ALREADY_EXISTS') } },
    },
    async (request, reply) => reply.code(201).send(await createRole(request.ctx, request.body)),
  );

  app.get(
    '/v1/admin/roles/:id',
    {
      config: { permission: 'roles:read', etag: true },
      schema: { summary: 'Read a role', params: RoleRef, response: { 200: Role, ...problemResponses('NOT_FOUND') } },
    },
    (request) => getRole(request.ctx, request.params.id),
  );

  app.patch(
    '/v1/admin/roles/:id',
    {
      config: { permission: 'roles:write', stepUp: false },
      schema: {
        summary: 'Change a role',
        params: RoleRef,
        body: RoleChanges,
        response: { 200: Role, ...problemResponses('NOT_FOUND', 'BUILT_IN_ROLE') },
      },
    },
    (request) => updateRole(request.ctx, request.params.id, request.body),
  );

  app.delete(
    '/v1/admin/roles/:id',
    {
      config: { permission: 'roles:write', stepUp: true },
      schema: {
        summary: 'Remove a role',
        params: RoleRef,
        response: { 204: Type.Null(), ...problemResponses('NOT_FOUND', 'BUILT_IN_ROLE', 'CONFLICT') },
      },
    },
    async (request, reply) => {
      await deleteRole(request.ctx, request.params.id);
      return reply.code(204).send(null);
    },
  );

  app.put(
    '/v1/admin/roles/:id/permissions',
    {
      config: { permission: 'roles:write', stepUp: true, changes: '/v1/admin/roles/:id' },
      schema: {
        summary: 'Replace the permissions of a role',
        params: RoleRef,
        body: RolePermissions,
        response: { 200: Role, ...problemResponses('NOT_FOUND', 'BUILT_IN_ROLE') },
      },
    },
    (request) => setRolePermissions(request.ctx, request.params.id, request.body.permissions),
  );
};
