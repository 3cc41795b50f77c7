import type { FastifyRequest } from 'fastify';
import { type VerifiedToken, verifyAccessToken } from '#access-tokens';
import { requirePermission } from '#members';
import { holderOf, type PresentedToken } from '#oidc';
import type { Actor, Ctx, Environment, Scope } from '#platform/ctx.ts';
import type { App } from '#platform/http.ts';
import { problem } from '#platform/problem.ts';
import type { RoutePermission } from '#platform/route.ts';
import { requireFreshProof } from '#step-up';
import { requireOrigin, tokenCookie } from './cookies.ts';
import { requireServed } from './scope.ts';

/** Methods that change nothing (RFC 9110 §9.2.1). */
const SAFE = ['GET', 'HEAD', 'OPTIONS'];
const NO_SESSION =
  'This is not a session or management token. It is exchanged for a session with POST /v1/sessions/switch-context on the auth host.';
const SCHEME = /^(Bearer|DPoP) ([A-Za-z0-9._~+/=-]+)$/i;

/**
 * Authenticates every request whose route requires it, before its input is parsed, and checks the permission the route
 * declares.
 */
export function addAuthentication(app: App, environment: Environment): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const permission = request.route?.permission;
    if (permission === undefined || permission === 'public') return done();
    if (permission === 'optional' && !bringsToken(request, environment)) return done();
    authenticate(app, environment, request, permission).then(() => done(), done);
  });
}

async function authenticate(
  app: App,
  environment: Environment,
  request: FastifyRequest,
  permission: Exclude<RoutePermission, 'public'>,
): Promise<void> {
  const inCookie = request.headers.authorization === undefined;
  const presented = inCookie ? cookieToken(request, environment) : headerToken(request);
  if (!inCookie && !presented.token.includes('.')) return authenticateForeign(app, environment, request, presented);
  const token = await verifyAccessToken(app.system, environment, presented.token);
  if (presented.scheme !== 'Bearer') throw problem('AUTHENTICATION_REQUIRED', 'Send this token as Bearer.');
  request.ctx = contextOf(app, request, token);
  requireServed(request.address, request.ctx.scope);
  // The browser attaches cookies whichever page sends the request, so changes must carry an Origin. A read with an Origin comes from
  // a page of another origin: it may be allowed for another project, but must not read this project's data.
  const says = request.headers.origin !== undefined;
  if (inCookie && (says || !SAFE.includes(request.method))) await requireOrigin(request, request.ctx.scope);
  await authorise(request.ctx, permission);
  const freshProof = request.route?.freshProof;
  if (freshProof) await requireFreshProof(request.ctx, freshProof, request.params);
}

/**
 * An access token of the OpenID provider is accepted by one route only, which exchanges it for a session of its
 * project, and only from one of the project's own applications. It is never accepted in a cookie.
 */
async function authenticateForeign(
  app: App,
  environment: Environment,
  request: FastifyRequest,
  presented: PresentedToken,
): Promise<void> {
  const holder = await holderOf(request, environment, presented);
  if (!holder) throw problem('AUTHENTICATION_REQUIRED', 'The token is not valid here.');
  if (!request.route?.takesOidcTokens) throw problem('WRONG_TOKEN_KIND', NO_SESSION);
  requireServed(request.address, holder.scope);
  request.ctx = { ...edgeOf(app, request), ...holder };
}

/** RFC 6750 §2.1, RFC 9449 §7.1 */
function headerToken(request: FastifyRequest): PresentedToken {
  const [, scheme, token = noToken()] = SCHEME.exec(request.headers.authorization ?? '') ?? [];
  return { token, scheme: scheme?.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer' };
}

function cookieToken(request: FastifyRequest, environment: Environment): PresentedToken {
  return { token: tokenCookie(request, environment, 'access') ?? noToken(), scheme: 'Bearer' };
}

function noToken(): never {
  throw problem('AUTHENTICATION_REQUIRED');
}

function bringsToken(request: FastifyRequest, environment: Environment): boolean {
  return request.headers.authorization !== undefined || tokenCookie(request, environment, 'access') !== undefined;
}

function contextOf(app: App, request: FastifyRequest, { kind, claims }: VerifiedToken): Ctx {
  const { workspaceId, projectId, environment } = claims;
  const scope: Scope = { workspaceId, projectId, environment };
  const actor: Actor =
    kind === 'customer'
      ? {
          kind,
          userId: claims.sub,
          sessionId: claims.sid,
          entryId: claims.entryId,
          ...(claims.org_id && { organizationId: claims.org_id }),
        }
      : { kind, applicationId: claims.applicationId, permissions: claims.scope.split(' ') };
  return { ...edgeOf(app, request), scope, actor };
}

function edgeOf({ system, host }: App, { trace, address }: FastifyRequest) {
  const authAddress = host.kind === 'auth' ? { authAddress: address.url } : {};
  return { system, db: system.db, trace, now: system.clock.now(), ...authAddress };
}

async function authorise(ctx: Ctx, permission: Exclude<RoutePermission, 'public'>): Promise<void> {
  if (permission !== 'customer' && permission !== 'optional') return requirePermission(ctx, permission);
  if (ctx.actor.kind !== 'customer')
    throw problem(
      'WRONG_TOKEN_KIND',
      'This route needs a customer session; a management token works on /v1/admin/* only.',
    );
}
