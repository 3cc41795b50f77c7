import { Type } from 'typebox';
import { customerOf } from '#platform/ctx.ts';
import type { Routes } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { problemResponses } from '#platform/problem.ts';
import { leaveProject } from './leaving.ts';
import { MemberRef, MemberStatus } from './members.ts';
import { ownMemberships } from './memberships.ts';

const Membership = Type.Object({
  id: IdSchema('mem'),
  workspaceId: IdSchema('wrk'),
  projectId: IdSchema('prj'),
  projectName: Type.String(),
  environment: Type.Enum(['test', 'production']),
  status: MemberStatus,
  roles: Type.Array(Type.String()),
  joinedAt: Type.String({ format: 'date-time' }),
});

export const membershipRoutes: Routes = (app) => {
  app.get(
    '/v1/me/memberships',
    {
      config: { permission: 'customer' },
      schema: {
        summary: 'List my memberships',
        querystring: PageQuery,
        response: { 200: PageOf(Membership), ...problemResponses('INVALID_CURSOR') },
      },
    },
    (request) => ownMemberships(request.ctx, customerOf(request.ctx).userId, request.query),
  );

  app.delete(
    '/v1/me/memberships/:memberId',
    {
      config: { permission: 'customer', freshProof: 'any factor' },
      schema: {
        summary: 'Leave a project',
        description:
          'Ends the sessions in it; roles do not come back. Who leaves the last project has the account erased in seven days, unless they sign in again.',
        params: MemberRef,
        response: {
          204: Type.Null(),
          ...problemResponses('NOT_FOUND', 'LAST_OWNER', 'MEMBER_BLOCKED', 'REAUTHENTICATION_REQUIRED'),
        },
      },
    },
    async (request, reply) => {
      await leaveProject(request.ctx, request.params.memberId);
      return reply.code(204).send(null);
    },
  );
};
