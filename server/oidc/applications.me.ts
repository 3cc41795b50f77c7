import { Type } from 'typebox';
import { customerOf } from '#platform/ctx.ts';
import { PageOf, PageQuery, pageOfWhole } from '#platform/page.ts';
import { found } from '#platform/problem.ts';
import { del, get, type Routes } from '#platform/route.ts';
import { takeBack, usedApplications } from './used-applications.ts';

const UsedApplication = Type.Object({
  clientId: Type.String(),
  name: Type.String(),
  firstParty: Type.Boolean({ description: 'False for an application of a third party, which the person allowed.' }),
  sessionIds: Type.Array(Type.String()),
});

const UsedApplicationRef = Type.Object({
  clientId: Type.String({ maxLength: 100, examples: ['abcd1234.0123456789abcdef'] }),
});

/** The applications that a person uses through the provider. */
export const usedApplicationRoutes: Routes = [
  get('/v1/me/security/applications', {
    permission: 'customer',
    summary: 'List the applications I am signed in to',
    description: 'Of the newest hundred sessions, with the sessions each of them uses.',
    query: PageQuery,
    responses: { 200: PageOf(UsedApplication) },
    problems: ['INVALID_CURSOR'],
    handler: async ({ ctx, query }) => {
      const list = `applications of ${customerOf(ctx).userId}`;
      return pageOfWhole(ctx, await usedApplications(ctx), {
        list,
        query,
        positionOf: ({ sessionIds: [newest = ''], clientId }) => [newest, clientId],
        descending: true,
      });
    },
  }),
  get('/v1/me/security/applications/:clientId', {
    permission: 'customer',
    etag: true,
    summary: 'Read an application I am signed in to',
    params: UsedApplicationRef,
    responses: { 200: UsedApplication },
    problems: ['NOT_FOUND'],
    handler: async ({ ctx, params }) =>
      found((await usedApplications(ctx)).find(({ clientId }) => clientId === params.clientId)),
  }),
  del('/v1/me/security/applications/:clientId', {
    permission: 'customer',
    freshProof: 'any factor',
    summary: 'Revoke an application’s access',
    description: 'Its tokens end immediately, and a third-party application asks for consent again.',
    params: UsedApplicationRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND', 'REAUTHENTICATION_REQUIRED'],
    handler: (request) => takeBack(request.ctx, request.params.clientId),
  }),
];
