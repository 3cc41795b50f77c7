import type { FastifyReply, FastifyRequest } from 'fastify';
import { isApplicationOrigin, originsOf } from '#applications';
import type { Environment } from '#platform/ctx.ts';
import type { App } from '#platform/http.ts';

/** Headers of the interface that a browser hides from a page unless told otherwise. */
const EXPOSED =
  'etag, retry-after, x-correlation-id, traceparent, www-authenticate, location, idempotent-replayed, ratelimit, ratelimit-policy, deprecation, sunset, link, content-disposition';
const ALLOWED =
  'authorization, content-type, if-match, if-none-match, idempotency-key, x-correlation-id, traceparent, tracestate';
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
/** Seconds for which a browser may keep the answer to a preflight. */
const MAX_AGE = '600';

/**
 * Lets pages of the environment's applications call a host, cookies included (Fetch Standard, CORS protocol). Which project a
 * page may act in is decided by its token or body, and for cookies by the origins of that project alone. Written here because
 * the plugin for it takes a tenth of the time of our fastest answers, also of those that no page asked for.
 */
export function addCors(app: App, environment: Environment): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    if (origin === undefined) return done();
    reply.header('vary', 'origin');
    isKnown(app, request, environment, origin).then((known) => {
      if (!known) return done();
      allow(reply, origin);
      if (isPreflight(request)) answerPreflight(reply);
      else done();
    }, done);
  });
  // Without a route there would be nothing to ask about.
  app.options('*', { config: { permission: 'public' }, schema: { hide: true } }, (_request, reply) =>
    reply.callNotFound(),
  );
}

/** On a project's own address its applications' origins count alone. */
async function isKnown(
  { system }: App,
  { address: { scope } }: FastifyRequest,
  environment: Environment,
  origin: string,
): Promise<boolean> {
  return scope
    ? (await originsOf({ system, scope })).includes(origin)
    : isApplicationOrigin(system, environment, origin);
}

function allow(reply: FastifyReply, origin: string): void {
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': EXPOSED,
  });
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

function answerPreflight(reply: FastifyReply): void {
  reply.headers({
    'access-control-allow-methods': METHODS,
    'access-control-allow-headers': ALLOWED,
    'access-control-max-age': MAX_AGE,
  });
  reply.code(204).send();
}
