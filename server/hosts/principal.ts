import type { FastifyRequest } from 'fastify';
import { requirePermission } from '#members';
import type { Actor, Ctx, Environment, Scope } from '#platform/ctx.ts';
import type { App, RoutePermission } from '#platform/http.ts';
import { problem } from '#platform/problem.ts';
import { type VerifiedToken, verifyAccessToken } from '#sessions';

const BEARER = /^Bearer ([A-Za-z0-9._~+/=-]+)$/i;

/**
 * Authenticates every request whose route asks for it, before anything of the request is looked at, and checks the permission
 * the route declares.
 */
export function addAuthentication(app: App, environment: Environment): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { permission } = request.routeOptions.config;
    if (permission === undefined || permission === 'public') return done();
    authenticate(app, environment, request, permission).then(() => done(), done);
  });
}

async function authenticate(
  app: App,
  environment: Environment,
  request: FastifyRequest,
  permission: Exclude<RoutePermission, 'public'>,
): Promise<void> {
  const token = await verifyAccessToken(app.system, environment, bearerToken(request));
  request.ctx = contextOf(app, request, token);
  await authorise(request.ctx, permission);
}

/** RFC 6750 §2.1; tokens are taken from nowhere else. */
function bearerToken(request: FastifyRequest): string {
  const header = request.headers.authorization;
  const token = header === undefined ? undefined : BEARER.exec(header)?.[1];
  if (!token) throw problem('AUTHENTICATION_REQUIRED');
  return token;
}

function contextOf(app: App, request: FastifyRequest, { kind, claims }: VerifiedToken): Ctx {
  const { workspaceId, projectId, environment } = claims;
  const scope: Scope = { workspaceId, projectId, environment };
  const actor: Actor =
    kind === 'customer'
      ? { kind, userId: claims.sub, sessionId: claims.sid, entryId: claims.entryId }
      : { kind, applicationId: claims.applicationId, permissions: claims.scope.split(' ') };
  return { system: app.system, db: app.system.db, scope, actor, trace: request.trace, now: app.system.clock.now() };
}

async function authorise(ctx: Ctx, permission: Exclude<RoutePermission, 'public'>): Promise<void> {
  if (permission !== 'customer') return requirePermission(ctx, permission);
  if (ctx.actor.kind !== 'customer')
    throw problem(
      'WRONG_TOKEN_KIND',
      'This route needs a customer session; a management token works on /v1/admin/* only.',
    );
}
