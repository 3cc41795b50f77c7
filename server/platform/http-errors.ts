import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Trace } from './ctx.ts';
import { isDatabaseAway, isDeadlock, isSerializationFailure } from './db.ts';
import type { Methods } from './http-methods.ts';
import { AlreadyAnswered, replay } from './http-once.ts';
import { Problem, problem, problemPath, problems, problemWithRetry } from './problem.ts';

type Where = { apiAddress: string; surfaces: readonly Surface[]; methods: Methods };

/** A family of paths and the kind of host that serves it. */
type Surface = { prefix: string; host: string; address: string };

/**
 * Turns every error of a host into a problem document; the problem of an unknown path names the host that serves it.
 */
export function addErrorHandling(app: FastifyInstance, where: Where): void {
  app.setErrorHandler((error: FastifyError, request, reply) =>
    error instanceof AlreadyAnswered
      ? replay(reply, error.stored)
      : sendProblem(request, reply, toProblem(error), where.apiAddress),
  );
  // Before the body is parsed, so that an unknown path is a 404 and not a 415.
  app.addHook('preParsing', (request, _reply, _payload, done) => done(request.is404 ? missing(request, where) : null));
  app.setNotFoundHandler((request, reply) => sendProblem(request, reply, missing(request, where), where.apiAddress));
}

function missing(request: FastifyRequest, { methods, surfaces }: Where): Problem {
  return notTaken(request, methods) ?? notFound(request, surfaces);
}

/** @returns undefined if no route has this path, for any method */
function notTaken({ url, method }: FastifyRequest, methods: Methods): Problem | undefined {
  const path = url.split('?', 1)[0] ?? '';
  const taken = methods.of(path);
  // The 404 comes from a route that takes the method.
  if (taken.length === 0 || taken.includes(method)) return undefined;
  const allowed = taken.join(', ');
  return problem('METHOD_NOT_ALLOWED', {
    detail: `${path} does not support ${method}; it supports ${allowed}.`,
    headers: { allow: allowed },
  });
}

function notFound(request: FastifyRequest, surfaces: readonly Surface[]): Problem {
  const path = request.url.split('?', 1)[0] ?? '';
  const surface = surfaces.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
  if (!surface) return problem('NOT_FOUND', `There is no ${request.method} ${path} here.`);
  return problem(
    'NOT_FOUND',
    `There is no ${request.method} ${path} here. Paths under ${surface.prefix} are served by the ${surface.host}: ${surface.address}`,
  );
}

/** Maps a thrown value to the problem that the client receives. */
function toProblem(error: FastifyError): Problem {
  if (error instanceof Problem) return error;
  if (error.validation) return invalid(error);
  // Only changes with If-Match use a repeatable-read snapshot; this one lost against a change committed in the
  // meantime.
  if (isSerializationFailure(error)) return problem('PRECONDITION_FAILED');
  if (isDatabaseAway(error) || isDeadlock(error)) {
    const away = problemWithRetry('SERVICE_UNAVAILABLE', 1);
    return new Problem('SERVICE_UNAVAILABLE', { extensions: away.extensions, headers: away.headers, cause: error });
  }
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return problem('PAYLOAD_TOO_LARGE');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return problem('UNSUPPORTED_MEDIA_TYPE');
    default:
      return isClientFault(error)
        ? problem('VALIDATION_FAILED', error.message)
        : problem('INTERNAL_ERROR', { cause: error });
  }
}

function isClientFault(error: FastifyError): boolean {
  return typeof error.statusCode === 'number' && error.statusCode >= 400 && error.statusCode < 500;
}

/** Lists each fault with a JSON pointer to its field. */
function invalid(error: FastifyError): Problem {
  const part = error.validationContext ?? 'body';
  const errors = (error.validation ?? []).map(({ instancePath, message, params }) => ({
    pointer: `/${part}${instancePath}${missingOrUnknown(params)}`,
    message: message ?? 'is not valid',
  }));
  return problem('VALIDATION_FAILED', { extensions: { errors } });
}

function missingOrUnknown(params: Record<string, unknown>): string {
  const name = params['missingProperty'] ?? params['additionalProperty'];
  return typeof name === 'string' ? `/${name}` : '';
}

const noted = new WeakMap<Trace, Problem>();

/** Records the problem with which a request ends, for the metrics that count results. */
export function noteProblem(trace: Trace, found: Problem): void {
  noted.set(trace, found);
}

export function problemOf(trace: Trace): Problem | undefined {
  return noted.get(trace);
}

function sendProblem(request: FastifyRequest, reply: FastifyReply, found: Problem, apiAddress: string): FastifyReply {
  noteProblem(request.trace, found);
  if (found.status >= 500)
    request.log.error({ err: found.cause ?? found, traceId: request.trace.traceId }, found.message);
  if (found.status === 401) reply.header('www-authenticate', challenge(found));
  return reply
    .code(found.status)
    .headers(found.headers)
    .type('application/problem+json')
    .serializer(JSON.stringify)
    .send({
      type: apiAddress + problemPath(found.code),
      title: problems[found.code].title,
      status: found.status,
      detail: found.message,
      instance: request.url.split('?', 1)[0],
      errorCode: found.code,
      traceId: request.trace.traceId,
      ...found.extensions,
    });
}

/** RFC 6750 §3: a missing token gets the bare challenge, a bad one the reason. */
function challenge(found: Problem): string {
  switch (found.code) {
    case 'SESSION_EXPIRED':
    case 'SESSION_REVOKED':
      return 'Bearer realm="latchkey", error="invalid_token"';
    case 'REAUTHENTICATION_REQUIRED':
      // RFC 9470 §3
      return 'Bearer realm="latchkey", error="insufficient_user_authentication"';
    default:
      return 'Bearer realm="latchkey"';
  }
}
