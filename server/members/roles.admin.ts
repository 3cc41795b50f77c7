import { Type } from 'typebox';
import { PageOf } from '#platform/page.ts';
import { del, get, patch, post, put, type Routes } from '#platform/route.ts';
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

export const roleRoutes: Routes = [
  get('/v1/admin/roles', {
    permission: 'roles:read',
    summary: 'List roles',
    query: RoleQuery,
    responses: { 200: PageOf(Role) },
    problems: ['INVALID_CURSOR'],
    handler: (request) => listRoles(request.ctx, request.query),
  }),
  post('/v1/admin/roles', {
    permission: 'roles:write',
    stepUp: true,
    summary: 'Add a role',
    body: NewRole,
    responses: { 201: Role },
    problems: ['ALREADY_EXISTS'],
    handler: async (request, reply) => reply.code(201).send(await createRole(request.ctx, request.body)),
  }),
  get('/v1/admin/roles/:id', {
    permission: 'roles:read',
    etag: true,
    summary: 'Read a role',
    params: RoleRef,
    responses: { 200: Role },
    problems: ['NOT_FOUND'],
    handler: (request) => getRole(request.ctx, request.params.id),
  }),
  patch('/v1/admin/roles/:id', {
    permission: 'roles:write',
    stepUp: false,
    summary: 'Change a role',
    params: RoleRef,
    body: RoleChanges,
    responses: { 200: Role },
    problems: ['NOT_FOUND', 'BUILT_IN_ROLE'],
    handler: (request) => updateRole(request.ctx, request.params.id, request.body),
  }),
  del('/v1/admin/roles/:id', {
    permission: 'roles:write',
    stepUp: true,
    summary: 'Remove a role',
    params: RoleRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND', 'BUILT_IN_ROLE', 'CONFLICT'],
    handler: async (request, reply) => {
      await deleteRole(request.ctx, request.params.id);
      return reply.code(204).send(null);
    },
  }),
  put('/v1/admin/roles/:id/permissions', {
    permission: 'roles:write',
    stepUp: true,
    changes: '/v1/admin/roles/:id',
    summary: 'Replace the permissions of a role',
    params: RoleRef,
    body: RolePermissions,
    responses: { 200: Role },
    problems: ['NOT_FOUND', 'BUILT_IN_ROLE'],
    handler: (request) => setRolePermissions(request.ctx, request.params.id, request.body.permissions),
  }),
];
