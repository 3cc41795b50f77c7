import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { problem, problemResponses } from '#platform/problem.ts';
import { CookieSession, clearSession, ctxFor, environmentOf, requireOrigin, sendSession, tokenCookie } from '#requests';
import { findRefreshToken, rotateRefreshToken, SessionAnswer, sessionAnswer } from '#sessions';
import { admitAgain, logout, switchContext } from './sessions.ts';

const RefreshToken = Type.String({ minLength: 1, maxLength: 200 });

export const sessionRoutes: Routes = (app) => {
  app.post(
    '/v1/sessions/refresh',
    {
      config: { permission: 'public' },
      schema: {
        summary: 'Refresh a session',
        description:
          'Without `refresh_token` the one of the cookie is used, and the new tokens come as cookies. Each refresh token works once. A second use within 10 seconds answers the same successor; a later one ends the session.',
        body: Type.Object({ refresh_token: Type.Optional(RefreshToken) }, { additionalProperties: false }),
        response: {
          200: Type.Union([SessionAnswer, CookieSession]),
          ...problemResponses(
            'AUTHENTICATION_REQUIRED',
            'SESSION_EXPIRED',
            'SESSION_REVOKED',
            'REAUTHENTICATION_REQUIRED',
            'MEMBERSHIP_REQUIRED',
            'MEMBER_BLOCKED',
            'ORIGIN_NOT_ALLOWED',
          ),
        },
      },
    },
    async (request, reply) => {
      const environment = environmentOf(request);
      const inBody = request.body.refresh_token;
      const token = inBody ?? tokenCookie(request, environment, 'refresh');
      if (token === undefined)
        throw problem('AUTHENTICATION_REQUIRED', 'Send a refresh token in the body or as a cookie.');
      const found = await findRefreshToken(app.system, environment, token);
      // Before the token is spent: another site's page must not end the session either.
      if (inBody === undefined) await requireOrigin(request, found.scope);
      const ctx = ctxFor(request, found.scope);
      const { entry, refresh } = await rotateRefreshToken(ctx, found, (shown) => admitAgain(ctx, shown));
      const answer = await sessionAnswer(ctx, entry, refresh);
      return sendSession(request, reply, answer, { scope: ctx.scope, cookies: inBody === undefined });
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
      clearSession(request, reply, environmentOf(request));
      return reply.code(204).send(null);
    },
  );
};

/** Leads from one project of the workspace to another with the same session. */
export const switchContextRoutes: Routes = (app) => {
  app.post(
    '/v1/sessions/switch-context',
    {
      config: { permission: 'customer', takesOidcTokens: true },
      schema: {
        summary: 'Switch context',
        description:
          'Enters another project of the same workspace and environment with the same session. Takes a session token, or an access token of the OpenID provider.',
        body: Type.Object(
          {
            workspaceId: IdSchema('wrk'),
            projectId: IdSchema('prj'),
            environment: Type.Enum(['test', 'production', 'prod']),
            cookies: Type.Optional(Type.Boolean()),
          },
          { additionalProperties: false },
        ),
        response: {
          200: Type.Union([SessionAnswer, CookieSession]),
          ...problemResponses(
            'CONTEXT_NOT_ALLOWED',
            'MEMBERSHIP_REQUIRED',
            'MEMBER_BLOCKED',
            'SESSION_REVOKED',
            'REAUTHENTICATION_REQUIRED',
          ),
        },
      },
    },
    async (request, reply) => {
      const { cookies, ...target } = request.body;
      const answer = await switchContext(request.ctx, target);
      return sendSession(request, reply, answer, { scope: request.ctx.scope, cookies });
    },
  );
};
