import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { problemResponses } from '#platform/problem.ts';
import { MemberStatus } from './members.ts';
import { listMemberships } from './memberships.ts';

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
    (request) => listMemberships(request.ctx, request.query),
  );
};
