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
/** Seconds for which a browser may keep the answer to a preflight. */
const MAX_AGE = '600';

/**
 * What pages of other origins may call. Of everything else, the pages for people above all, no other page reads anything. The
 * endpoints of the provider decide by themselves: for the origins of the one application that calls, and without cookies.
 */
const SHARED = {
  /** The interface: for pages of applications, cookies included. Token, body or, for cookies, origin decide in which project. */
  interface: /^\/v1\//,
  /** What is published for everybody. */
  published: /^\/(?:api\/(?:status|v2)\/|\.well-known\/|connect\/jwks(?:\?|$))/,
} as const;

/**
 * Answers preflights and marks answers for pages of other origins. Written here because the plugin for it takes a tenth of the
 * time of our fastest answers, also of those that no page asked for.
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
  // Without a route there would be nothing to ask about.
  mount(app, [options('*', { permission: 'public', handler: (_request, reply) => reply.callNotFound() })]);
}

/** It is the same for everybody, so any page may read it; no cookie comes along, and nothing else may be done. */
function allowAnyOrigin(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const { 'access-control-request-method': asked = request.method } = request.headers;
  if (READING.includes(asked)) {
    reply.header('access-control-allow-origin', '*');
    expose(request, reply, { methods: READING, done });
  } else done();
}

/** On a project's own address its applications' origins count alone. */
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
