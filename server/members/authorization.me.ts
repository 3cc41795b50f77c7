import { Type } from 'typebox';
import { customerOf } from '#platform/ctx.ts';
import { get, type Routes } from '#platform/route.ts';
import { accessOf, versionOf } from './access.ts';

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
];
