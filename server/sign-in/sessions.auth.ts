import { Type } from 'typebox';
import { IdSchema } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { post, type Routes } from '#platform/route.ts';
import { nullable } from '#platform/schemas.ts';
import { CookieSession, clearSession, ctxFor, environmentOf, requireOrigin, sendSession, tokenCookie } from '#requests';
import { findRefreshToken, rotateRefreshToken, SessionResponse, sessionResponse } from '#sessions';
import { admitAgain, logout, switchContext } from './sessions.ts';

const RefreshToken = Type.String({ minLength: 1, maxLength: 200 });

export const sessionRoutes: Routes = [
  post('/v1/sessions/refresh', {
    permission: 'public',
    counted: 'client',
    summary: 'Refresh a session',
    description:
      'Without `refresh_token` the cookie’s token is used, and the new tokens are set as cookies. Each refresh token works once. A second use within 10 seconds returns the same successor; a later use ends the session.',
    body: Type.Object({ refresh_token: Type.Optional(RefreshToken) }, { additionalProperties: false }),
    responses: { 200: Type.Union([SessionResponse, CookieSession]) },
    problems: [
      'AUTHENTICATION_REQUIRED',
      'SESSION_EXPIRED',
      'SESSION_REVOKED',
      'REAUTHENTICATION_REQUIRED',
      'MEMBERSHIP_REQUIRED',
      'MEMBER_BLOCKED',
      'NOT_FOUND',
      'ORGANIZATION_BLOCKED',
      'ORGANIZATION_ADDRESS',
      'ORGANIZATION_METHOD',
      'ORIGIN_NOT_ALLOWED',
    ],
    silent: 'it renews the tokens of a session that continues',
    handler: async (request, reply) => {
      const environment = environmentOf(request);
      const inBody = request.body.refresh_token;
      const token = inBody ?? tokenCookie(request, environment, 'refresh');
      if (token === undefined)
        throw problem('AUTHENTICATION_REQUIRED', 'Send a refresh token in the body or as a cookie.');
      const found = await findRefreshToken(request.server.system, environment, token);
      // Before the token is spent: a page of another site must not be able to end the session either.
      if (inBody === undefined) await requireOrigin(request, found.scope);
      const ctx = ctxFor(request, found.scope);
      const issued = await rotateRefreshToken(ctx, found, (shown) => admitAgain(ctx, shown));
      const response = await sessionResponse(ctx, issued);
      return sendSession(request, reply, response, { scope: ctx.scope, cookies: inBody === undefined });
    },
  }),
  post('/v1/sessions/logout', {
    permission: 'customer',
    summary: 'Sign out',
    body: Type.Object({ everywhere: Type.Optional(Type.Boolean()) }, { additionalProperties: false }),
    responses: { 204: Type.Null() },
    handler: async (request, reply) => {
      await logout(request.ctx, request.body.everywhere ?? false);
      clearSession(request, reply, environmentOf(request));
    },
  }),
  // Takes the session into another project of the workspace, or into an organization.
  post('/v1/sessions/switch-context', {
    permission: 'customer',
    takesOidcTokens: true,
    summary: 'Switch context',
    description:
      'Enters another project of the same workspace and environment with the same session, or an organization of the project if `organizationId` names one. The tokens of the earlier context stay valid. Accepts a session token, or an access token of the OpenID provider.',
    body: Type.Object(
      {
        workspaceId: IdSchema('wrk'),
        projectId: IdSchema('prj'),
        environment: Type.Enum(['test', 'production', 'prod']),
        organizationId: Type.Optional(nullable(IdSchema('org'))),
        cookies: Type.Optional(Type.Boolean()),
      },
      { additionalProperties: false },
    ),
    responses: { 200: Type.Union([SessionResponse, CookieSession]) },
    problems: [
      'CONTEXT_NOT_ALLOWED',
      'MEMBERSHIP_REQUIRED',
      'MEMBER_BLOCKED',
      'REFUSED_BY_ACTION',
      'SESSION_REVOKED',
      'REAUTHENTICATION_REQUIRED',
      'NOT_FOUND',
      'ORGANIZATION_BLOCKED',
      'ORGANIZATION_ADDRESS',
      'ORGANIZATION_METHOD',
    ],
    handler: async (request, reply) => {
      const { cookies, ...target } = request.body;
      const response = await switchContext(request.ctx, target);
      return sendSession(request, reply, response, { scope: request.ctx.scope, cookies });
    },
  }),
];
