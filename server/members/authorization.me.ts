import { Type } from 'typebox';
import { PermissionKey } from '#permissions';
import { customerOf } from '#platform/ctx.ts';
import { get, post, type Routes } from '#platform/route.ts';
import { accessOf, versionOf } from './access.ts';
import { Check, checkPermission } from './authorization.ts';

const Authorization = Type.Object({
  roles: Type.Array(Type.Object({ id: Type.String(), key: Type.String(), name: Type.String() })),
  permissions: Type.Array(Type.String()),
  version: Type.String({ description: 'Changes whenever the roles or permissions change.' }),
});

export const authorizationRoutes: Routes = [
  get('/v1/me/authorization', {
    permission: 'customer',
    etag: true,
    summary: 'Read my roles and permissions',
    responses: { 200: Authorization },
    handler: async (request) => {
      const access = await accessOf(request.ctx, customerOf(request.ctx).userId);
      return {
        roles: access.roles.map(({ id, key, name }) => ({ id, key, name })),
        permissions: access.permissions,
        version: versionOf(access),
      };
    },
  }),
  post('/v1/me/authorization/check', {
    permission: 'customer',
    summary: 'Check one of my permissions',
    description: 'Says whether you have the permission, with every path that grants it.',
    body: Type.Object({ permission: PermissionKey }, { additionalProperties: false }),
    responses: { 200: Check },
    silent: 'it changes nothing',
    handler: ({ ctx, body }) => checkPermission(ctx, customerOf(ctx).userId, body.permission),
  }),
];
