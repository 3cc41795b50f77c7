import { Type } from 'typebox';
import { findApplication } from '#applications';
import { type Ctx, customerOf, transaction } from '#platform/ctx.ts';
import type { Routes } from '#platform/http.ts';
import type { SessionId } from '#platform/ids.ts';
import { PageOf } from '#platform/page.ts';
import { problem, problemResponses } from '#platform/problem.ts';
import { listSessions, requireRecentAuthentication } from '#sessions';
import { clientsOfSessions, revokeConsent } from './grants.ts';

const UsedApplication = Type.Object({
  clientId: Type.String(),
  name: Type.String(),
  firstParty: Type.Boolean({ description: 'False: it belongs to somebody else, and was let in by the person.' }),
  sessionIds: Type.Array(Type.String()),
});

const MOST_SESSIONS = 100;

/** The applications a person is signed in to through the provider. */
export const usedApplicationRoutes: Routes = (app) => {
  app.get(
    '/v1/me/security/applications',
    {
      config: { permission: 'customer' },
      schema: {
        summary: 'List the applications I am signed in to',
        description: 'Of the newest hundred sessions, with the sessions each of them uses.',
        response: { 200: PageOf(UsedApplication) },
      },
    },
    async (request) => ({ items: await usedApplications(request.ctx), nextCursor: null }),
  );

  app.delete(
    '/v1/me/security/applications/:clientId',
    {
      config: { permission: 'customer' },
      schema: {
        summary: 'Take an application’s access back',
        description: 'Its tokens end at once, and an application of somebody else asks for consent again.',
        params: Type.Object({ clientId: Type.String({ maxLength: 100, examples: ['abcd1234.0123456789abcdef'] }) }),
        response: { 204: Type.Null(), ...problemResponses('NOT_FOUND', 'REAUTHENTICATION_REQUIRED') },
      },
    },
    async (request, reply) => {
      await requireRecentAuthentication(request.ctx);
      await takeBack(request.ctx, request.params.clientId);
      return reply.code(204).send(null);
    },
  );
};

async function usedApplications(ctx: Ctx) {
  const sessions = await listSessions(ctx, customerOf(ctx).userId, MOST_SESSIONS);
  const clients = await clientsOfSessions(
    ctx,
    sessions.map(({ id }) => id),
  );
  const bySession = [...clients].flatMap(([sessionId, ids]) => ids.map((clientId) => ({ sessionId, clientId })));
  const used = Map.groupBy(bySession, ({ clientId }) => clientId);
  const items = await Promise.all([...used].map(([clientId, uses]) => described(ctx, clientId, uses)));
  return items.filter((item) => item !== undefined);
}

async function described(ctx: Ctx, clientId: string, uses: { sessionId: SessionId }[]) {
  const application = await findApplication(ctx.system, ctx.scope.environment, clientId);
  if (!application || application.workspaceId !== ctx.scope.workspaceId) return undefined;
  const { name, firstParty } = application;
  return { clientId, name, firstParty, sessionIds: uses.map(({ sessionId }) => sessionId) };
}

/** @throws Problem NOT_FOUND when the application has no access to the person */
async function takeBack(ctx: Ctx, clientId: string): Promise<void> {
  const application = await findApplication(ctx.system, ctx.scope.environment, clientId);
  if (!application || application.workspaceId !== ctx.scope.workspaceId) throw problem('NOT_FOUND');
  const had = await transaction(ctx, (tx) => revokeConsent(tx, customerOf(ctx).userId, application));
  if (!had) throw problem('NOT_FOUND');
}
