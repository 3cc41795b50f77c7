import { Type } from 'typebox';
import { customerOf } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { found } from '#platform/problem.ts';
import { del, get, type Routes } from '#platform/route.ts';
import { Instant } from '#platform/schemas.ts';
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
  joinedAt: Instant,
});

export const membershipRoutes: Routes = [
  get('/v1/me/memberships', {
    permission: 'customer',
    summary: 'List my memberships',
    query: PageQuery,
    responses: { 200: PageOf(Membership) },
    problems: ['INVALID_CURSOR'],
    handler: (request) => ownMemberships(request.ctx, customerOf(request.ctx).userId, request.query),
  }),
  get('/v1/me/memberships/:memberId', {
    permission: 'customer',
    etag: true,
    summary: 'Read one of my memberships',
    params: MemberRef,
    responses: { 200: Membership },
    problems: ['NOT_FOUND'],
    handler: async ({ ctx, params }) => {
      const page = { limit: 1, only: params.memberId };
      const { items } = await ownMemberships(ctx, customerOf(ctx).userId, page);
      return found(items[0]);
    },
  }),
  del('/v1/me/memberships/:memberId', {
    permission: 'customer',
    freshProof: 'any factor',
    summary: 'Leave a project',
    description:
      'Ends the sessions in the project; roles are not restored. If this was the person’s last project, the account is erased after seven days unless they sign in again.',
    params: MemberRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND', 'LAST_OWNER', 'MEMBER_BLOCKED', 'REAUTHENTICATION_REQUIRED'],
    handler: (request) => leaveProject(request.ctx, request.params.memberId),
  }),
];
