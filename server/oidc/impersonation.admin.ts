import { Type } from 'typebox';
import { changeMember, membersById } from '#members';
import { IdSchema } from '#platform/ids.ts';
import { found } from '#platform/problem.ts';
import { del, get, post, type Routes } from '#platform/route.ts';
import { Instant } from '#platform/schemas.ts';
import { allowImpersonation, endImpersonations, Impersonations, impersonationsOf } from './impersonation.ts';

const MemberRef = Type.Object({ memberId: IdSchema('mem') });
const Asked = Type.Object(
  {
    reason: Type.String({
      minLength: 5,
      maxLength: 200,
      description: 'Shown to the person, and kept in the audit log.',
    }),
    minutes: Type.Integer({ minimum: 1, maximum: 60 }),
  },
  { additionalProperties: false },
);
const Ticket = Type.Object({
  ticket: Type.String({ description: 'Exchanged once at the token endpoint (RFC 8693), in the same session.' }),
  exchangeBy: Instant,
  endsAt: Instant,
});

/** Acting as a member, for support. */
export const impersonationRoutes: Routes = [
  post('/v1/admin/members/:memberId/impersonate', {
    permission: 'members:impersonate',
    stepUp: true,
    summary: 'Act as a member',
    description:
      'Needs a session of a member of the project who may do all that the person may. Not for owners, nor for oneself.',
    params: MemberRef,
    body: Asked,
    responses: { 201: Ticket },
    problems: ['NOT_FOUND', 'CONFLICT', 'WRONG_TOKEN_KIND', 'MEMBER_BLOCKED', 'MEMBERSHIP_REQUIRED'],
    handler: async (request, reply) =>
      reply.code(201).send(await allowImpersonation(request.ctx, request.params.memberId, request.body)),
  }),
  get('/v1/admin/members/:memberId/impersonate', {
    permission: 'sessions:read',
    etag: true,
    summary: 'Read who acts as a member',
    params: MemberRef,
    responses: { 200: Impersonations },
    problems: ['NOT_FOUND'],
    handler: async ({ ctx, params }) => {
      const { userId } = found((await membersById(ctx, [params.memberId]))[0]);
      return { impersonations: await impersonationsOf(ctx, userId) };
    },
  }),
  del('/v1/admin/members/:memberId/impersonate', {
    permission: 'sessions:revoke',
    stepUp: false,
    summary: 'End all acting as a member',
    params: MemberRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND'],
    handler: async ({ ctx, params }, reply) => {
      await changeMember(ctx, params.memberId, async (tx, { userId }) => {
        await endImpersonations(tx, { userId, in: tx.scope.projectId, reason: 'admin' });
      });
      return reply.code(204).send(null);
    },
  }),
];
