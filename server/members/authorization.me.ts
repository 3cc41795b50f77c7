import { Type } from 'typebox';
import { customerOf } from '#platform/ctx.ts';
import type { Routes } from '#platform/http.ts';
import { accessOf, permissionsOf, versionOf } from './access.ts';
import { PermissionKey } from './permissions.ts';

const Authorization = Type.Object({
  roles: Type.Array(Type.Object({ id: Type.String(), key: Type.String(), name: Type.String() })),
  permissions: Type.Array(Type.String()),
  version: Type.String({ description: 'Changes whenever roles or permissions do.' }),
});

const Check = Type.Object({
  allowed: Type.Boolean(),
  because: Type.Array(Type.Object({ role: Type.String() }), {
    description: 'The roles that grant it; empty when it is not allowed.',
  }),
});

export const authorizationRoutes: Routes = (app) => {
  app.get(
    '/v1/me/authorization',
    {
      config: { permission: 'customer', etag: true },
      schema: { summary: 'Read my roles and permissions', response: { 200: Authorization } },
    },
    async (request) => {
      const access = await accessOf(request.ctx, customerOf(request.ctx).userId);
      return {
        roles: access.roles.map(({ id, key, name }) => ({ id, key, name })),
        permissions: permissionsOf(access),
        version: versionOf(access),
      };
    },
  );

  app.post(
    '/v1/me/authorization/check',
    {
      config: { permission: 'customer' },
      schema: {
        summary: 'Check one of my permissions',
        body: Type.Object({ permission: PermissionKey }, { additionalProperties: false }),
        response: { 200: Check },
      },
    },
    async (request) => {
      const access = await accessOf(request.ctx, customerOf(request.ctx).userId);
      const because =
        access.status === 'active'
          ? access.roles
              .filter((role) => role.permissions.includes(request.body.permission))
              .map(({ key }) => ({ role: key }))
          : [];
      return { allowed: because.length > 0, because };
    },
  );
};
