import { Type } from 'typebox';
import { customerOf } from '#platform/ctx.ts';
import { found } from '#platform/problem.ts';
import { post, type Routes } from '#platform/route.ts';
import { Asked, Check, checkPermissions } from './checks.ts';

export const ownCheckRoutes: Routes = [
  post('/v1/me/authorization/check', {
    permission: 'customer',
    summary: 'Check one of my permissions',
    description:
      'Says whether you have the permission in the project, in the organization `organizationId`, or on `resource`; with every path that grants it.',
    body: Type.Object(Asked, { additionalProperties: false }),
    responses: { 200: Check },
    silent: 'it changes nothing',
    handler: async ({ ctx, body }) =>
      found((await checkPermissions(ctx, [{ ...body, userId: customerOf(ctx).userId }]))[0]),
  }),
];
