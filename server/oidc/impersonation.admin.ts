import { Type } from 'typebox';
import { exchangingApplications } from '#applications';
import { projectOf } from '#environments';
import { changeMember, membersById } from '#members';
import { IdSchema } from '#platform/ids.ts';
import { found } from '#platform/problem.ts';
import { del, get, post, type Routes } from '#platform/route.ts';
import { Instant } from '#platform/schemas.ts';
import { endImpersonations, Impersonations, impersonationsOf } from './impersonation.ts';
import { allowImpersonation } from './impersonation-tickets.ts';

const MemberRef = Type.Object({ memberId: IdSchema('mem') });
const Asked = Type.Object(
  {
    reason: Type.String({
      minLength: 5,
      maxLength: 200,
      description: 'Shown to the person, and kept in the audit log.',
    }),
    minutes: Type.Integer({ minimum: 1, maximum: 60 }),
    clientId: Type.Optional(
      Type.String({
        maxLength: 200,
        description:
          'The application that may exchange the ticket. Required of operators and, as their own, of management clients.',
      }),
    ),
  },
  { additionalProperties: false },
);
const Ticket = Type.Object({
  ticket: Type.String({ description: 'Exchanged once at the token endpoint (RFC 8693).' }),
  exchangeBy: Instant,
  endsAt: Instant,
});

const Options = Type.Object(
  {
    maxMinutes: Type.Integer({
      description: 'The `impersonationMinutes` of the project; 0: impersonation is disabled.',
    }),
    applications: Type.Array(
      Type.Object({ clientId: Type.String(), name: Type.String(), apis: Type.Array(Type.String()) }),
      { description: 'Applications with token exchange, and the identifiers of the APIs for which they get tokens.' },
    ),
  },
  { title: 'ImpersonationOptions' },
);

/** Acting as a member, for support. */
export const impersonationRoutes: Routes = [
  post('/v1/admin/members/:memberId/impersonate', {
    permission: 'members:impersonate',
    stepUp: true,
    summary: 'Act as a member',
    description:
      'Needs every permission that the person has. A member exchanges the ticket in the same session; the ticket of an operator or a management client is for one application. Nobody can act as an owner, or as themselves.',
    params: MemberRef,
    body: Asked,
    responses: { 201: Ticket },
    problems: ['NOT_FOUND', 'CONFLICT', 'WRONG_TOKEN_KIND', 'MEMBER_BLOCKED', 'MEMBERSHIP_REQUIRED'],
    handler: (request) => allowImpersonation(request.ctx, request.params.memberId, request.body),
  }),
  get('/v1/admin/impersonation', {
    permission: 'members:impersonate',
    summary: 'Read how to act as members',
    responses: { 200: Options },
    handler: async ({ ctx }) => {
      const { settings } = await projectOf(ctx.system, ctx.scope);
      const applications = await exchangingApplications(ctx);
      return {
        maxMinutes: settings.impersonationMinutes,
        applications: applications.map(({ clientId, name, apis }) => ({ clientId, name, apis })),
      };
    },
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
    summary: 'End every impersonation of a member',
    params: MemberRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND'],
    handler: async ({ ctx, params }) => {
      await changeMember(ctx, params.memberId, async (tx, { userId }) => {
        await endImpersonations(tx, { userId, in: tx.scope.projectId, reason: 'admin' });
      });
    },
  }),
];
