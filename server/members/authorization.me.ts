import { Type } from 'typebox';
import { customerOf } from '#platform/ctx.ts';
import type { Routes } from '#platform/http.ts';
import { accessOf, permissionsOf, versionOf } from './access.ts';
import { Check, checkPermission } from './authorization.ts';
import { PermissionKey } from './permissions.ts';

const Authorization = Type.Object({
  roles: Type.Array(Type.Object({ id: Type.String(), key: Type.String(), name: Type.String() })),
  permissions: Type.Array(Type.String()),
  version: Type.String({ description: 'Changes whenever roles or permissions do.' }),
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
        description: 'Says whether it is granted, and by which paths.',
        body: Type.Object({ permission: PermissionKey }, { additionalProperties: false }),
        response: { 200: Check },
      },
    },
    ({ ctx, body }) => checkPermission(ctx, customerOf(ctx).userId, body.permission),
  );
};
