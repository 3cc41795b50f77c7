import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';
import { problemResponses } from '#platform/problem.ts';
import { Check, checkPermission } from './authorization.ts';
import { getMember, MemberRef } from './members.ts';
import { PermissionKey } from './permissions.ts';

export const adminAuthorizationRoutes: Routes = (app) => {
  app.post(
    '/v1/admin/authorization/check',
    {
      config: { permission: 'roles:read', stepUp: false },
      schema: {
        summary: 'Check a permission of a member',
        description: 'Says whether the member may do it right now, and by which paths, or why not.',
        body: Type.Object({ ...MemberRef.properties, permission: PermissionKey }, { additionalProperties: false }),
        response: { 200: Check, ...problemResponses('NOT_FOUND') },
      },
    },
    async ({ ctx, body }) => checkPermission(ctx, (await getMember(ctx, body.memberId)).userId, body.permission),
  );
};
