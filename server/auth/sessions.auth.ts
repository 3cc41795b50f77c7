import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { problemResponses } from '#platform/problem.ts';
import { findRefreshToken, rotateRefreshToken, SessionAnswer, sessionAnswer } from '#sessions';
import { ctxFor, environmentOf } from './scope.ts';
import { logout, switchContext } from './sessions.ts';

const RefreshToken = Type.String({ minLength: 1, maxLength: 200 });

export const sessionRoutes: Routes = (app) => {
  app.post(
    '/v1/sessions/refresh',
    {
      config: { permission: 'public' },
      schema: {
        summary: 'Refresh a session',
        description:
          'Each refresh token works once. A second use within 10 seconds answers the same successor; a later one ends the session.',
        body: Type.Object({ refresh_token: RefreshToken }, { additionalProperties: false }),
        response: {
          200: SessionAnswer,
          ...problemResponses('AUTHENTICATION_REQUIRED', 'SESSION_EXPIRED', 'SESSION_REVOKED'),
        },
      },
    },
    async (request) => {
      const found = await findRefreshToken(app.system, environmentOf(request), request.body.refresh_token);
      const ctx = ctxFor(request, found.scope);
      const { entry, refresh } = await rotateRefreshToken(ctx, found);
      return sessionAnswer(ctx, entry, refresh);
    },
  );

  app.post(
    '/v1/sessions/logout',
    {
      config: { permission: 'customer' },
      schema: {
        summary: 'Sign out',
        body: Type.Object({ everywhere: Type.Optional(Type.Boolean()) }, { additionalProperties: false }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await logout(request.ctx, request.body.everywhere ?? false);
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/v1/sessions/switch-context',
    {
      config: { permission: 'customer' },
      schema: {
        summary: 'Switch context',
        description: 'Enters another project of the same workspace and environment with the same session.',
        body: Type.Object(
          {
            workspaceId: IdSchema('wrk'),
            projectId: IdSchema('prj'),
            environment: Type.Enum(['test', 'production', 'prod']),
          },
          { additionalProperties: false },
        ),
        response: {
          200: SessionAnswer,
          ...problemResponses('CONTEXT_NOT_ALLOWED', 'MEMBERSHIP_REQUIRED', 'MEMBER_BLOCKED', 'SESSION_REVOKED'),
        },
      },
    },
    (request) => switchContext(request.ctx, request.body),
  );
};
