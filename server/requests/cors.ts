import type { FastifyReply, FastifyRequest } from 'fastify';
import { isApplicationOrigin, originsOf } from '#applications';
import { EXPOSED_HEADERS } from '#platform/cross-origin.ts';
import type { App } from '#platform/http.ts';
import { mount } from '#platform/http-mount.ts';
import { options } from '#platform/route.ts';

const ALLOWED =
  'authorization, dpop, content-type, if-match, if-none-match, idempotency-key, x-correlation-id, traceparent, tracestate';
const READING = ['GET', 'HEAD'];
const METHODS = [...READING, 'POST', 'PUT', 'PATCH', 'DELETE'];
/** How long a browser may cache the response to a preflight, in seconds. */
const MAX_AGE = '600';

/**
 * The paths that pages of other origins may call; they can read nothing else, in particular not the pages for people.
 * The OpenID provider's endpoints decide for themselves: only for the origins of the calling application, and without
 * cookies.
 */
const SHARED = {
  /**
   * The API, for pages of applications, including cookies. The token, the body or, for cookies, the origin decides the
   * project.
   */
  interface: /^\/v1\//,
  /** Public documents, for everybody. */
  published: /^\/(?:api\/(?:status|v2)\/|\.well-known\/|connect\/jwks(?:\?|$))/,
} as const;

/**
 * Handles preflights and sets CORS headers. Not the plugin, because that takes a tenth of the time of our fastest
 * responses, even for requests without an origin.
 */
export function addCors(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    const path = request.url;
    if (SHARED.published.test(path)) return allowAnyOrigin(request, reply, done);
    if (origin === undefined || !SHARED.interface.test(path)) return done();
    reply.header('vary', 'origin');
    isKnown(app, request, origin).then((known) => {
      if (!known) return done();
      reply.headers({ 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' });
      expose(request, reply, { methods: METHODS, done });
    }, done);
  });
  // Preflights need a route to run the hooks.
  mount(app, [options('*', { permission: 'public', handler: (_request, reply) => reply.callNotFound() })]);
}

/** The response is the same for everybody, so any page may read it; without cookies, and read-only. */
function allowAnyOrigin(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const { 'access-control-request-method': asked = request.method } = request.headers;
  if (READING.includes(asked)) {
    reply.header('access-control-allow-origin', '*');
    expose(request, reply, { methods: READING, done });
  } else done();
}

/** On a project's own address, only the origins of its applications count. */
async function isKnown(
  { system, host }: App,
  { address: { scope } }: FastifyRequest,
  origin: string,
): Promise<boolean> {
  if (scope) return (await originsOf({ system, scope })).includes(origin);
  return host.environment !== null && isApplicationOrigin(system, host.environment, origin);
}

type Sharing = { methods: readonly string[]; done: () => void };

function expose(request: FastifyRequest, reply: FastifyReply, { methods, done }: Sharing): void {
  reply.header('access-control-expose-headers', EXPOSED_HEADERS);
  if (isPreflight(request)) {
    reply.headers({
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': ALLOWED,
      'access-control-max-age': MAX_AGE,
    });
    reply.code(204).send();
  } else done();
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
