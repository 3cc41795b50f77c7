import { Type } from 'typebox';
import { customerOf } from '#platform/ctx.ts';
import type { Routes } from '#platform/http.ts';
import { PageOf, PageQuery, pageOfWhole } from '#platform/page.ts';
import { problemResponses } from '#platform/problem.ts';
import { takeBack, usedApplications } from './used-applications.ts';

const UsedApplication = Type.Object({
  clientId: Type.String(),
  name: Type.String(),
  firstParty: Type.Boolean({ description: 'False: it belongs to somebody else, and was let in by the person.' }),
  sessionIds: Type.Array(Type.String()),
});

/** The applications a person is signed in to through the provider. */
export const usedApplicationRoutes: Routes = (app) => {
  app.get(
    '/v1/me/security/applications',
    {
      config: { permission: 'customer' },
      schema: {
        summary: 'List the applications I am signed in to',
        description: 'Of the newest hundred sessions, with the sessions each of them uses.',
        querystring: PageQuery,
        response: { 200: PageOf(UsedApplication), ...problemResponses('INVALID_CURSOR') },
      },
    },
    async ({ ctx, query }) => {
      const list = `applications of ${customerOf(ctx).userId}`;
      return pageOfWhole(ctx, await usedApplications(ctx), { list, query, keyOf: ({ clientId }) => clientId });
    },
  );

  app.delete(
    '/v1/me/security/applications/:clientId',
    {
      config: { permission: 'customer', freshProof: 'any factor' },
      schema: {
        summary: 'Take an application’s access back',
        description: 'Its tokens end at once, and an application of somebody else asks for consent again.',
        params: Type.Object({ clientId: Type.String({ maxLength: 100, examples: ['abcd1234.0123456789abcdef'] }) }),
        response: { 204: Type.Null(), ...problemResponses('NOT_FOUND', 'REAUTHENTICATION_REQUIRED') },
      },
    },
    async (request, reply) => {
      await takeBack(request.ctx, request.params.clientId);
      return reply.code(204).send(null);
    },
  );
};
