import { Type } from 'typebox';
import { PermissionKey } from '#permissions';
import { post, type Routes } from '#platform/route.ts';
import { Check, checkPermission } from './authorization.ts';
import { getMember, MemberRef } from './members.ts';

export const adminAuthorizationRoutes: Routes = [
  post('/v1/admin/authorization/check', {
    permission: 'roles:read',
    stepUp: false,
    summary: 'Check a permission of a member',
    description: 'Says whether the member has the permission now, with every path that grants it, or why not.',
    body: Type.Object({ ...MemberRef.properties, permission: PermissionKey }, { additionalProperties: false }),
    responses: { 200: Check },
    problems: ['NOT_FOUND'],
    silent: 'it changes nothing',
    handler: async ({ ctx, body }) =>
      checkPermission(ctx, (await getMember(ctx, body.memberId)).userId, body.permission),
  }),
];
