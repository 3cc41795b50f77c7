import type { FastifyReply, FastifyRequest } from 'fastify';
import { countryIn } from './countries.ts';
import type { Trace } from './ctx.ts';
import type { Address, App, FindAddress, Host } from './http.ts';
import { hasOneHost } from './http-malformed.ts';
import { requestDurations } from './http-metrics.ts';
import { problem } from './problem.ts';
import { parseSource, trustsSource } from './source.ts';
import { perSystem, type System } from './system.ts';
import { beginTrace, correlationIdFrom, type OpenSpan, parentFrom, runAt, traceparent } from './trace.ts';

/** The address and names of one host, and how to find other addresses. */
export type Edge = {
  system: System;
  host: Host;
  own: Address;
  hostNames: ReadonlySet<string>;
  find: FindAddress;
};

const CONSOLE_HEADERS = ['x-workspace-id', 'x-project-id', 'x-tenant-id', 'x-environment'];

/**
 * The default headers of every response. Most responses are personal or secret, so caches must not store them (RFC 9111
 * §5.2.2.5, RFC 6749 §5.1; ASVS 14.3.2); routes with public responses set a lifetime themselves. Browsers must not
 * sniff the content type (ASVS 3.4.4).
 */
const DEFAULT_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/**
 * What every request passes before its route: trace, default headers, host check, refusal of console headers, metrics.
 */
export function addEdge(app: App, edge: Edge): void {
  const { host, own, hostNames, find } = edge;
  app.addHook('onRequest', (request, reply, done) => {
    begin(request, reply);
    runAt(request.place, done);
  });
  app.addHook('onRequest', (request, _reply, done) => {
    request.route = request.routeOptions.config.route;
    const accept = (address: Address | undefined) => {
      if (!address) return done(unknownHost(edge, request.host));
      request.address = address;
      done(faultOf(request, host));
    };
    if (!hasOneHost(request.raw))
      return done(problem('MALFORMED_REQUEST', 'Send the header `Host` once (RFC 9112 §3.2).'));
    const known = hostNames.has(request.host.toLowerCase()) ? own : find(hostNameOf(request));
    if (known instanceof Promise) known.then(accept, done);
    else accept(known);
  });
  // The events of the body come from outside the place of the request, so the request enters it again.
  app.addHook('preValidation', (request, _reply, done) => runAt(request.place, done));
  addMeasuring(app, edge);
}

/** Also called for a request with an invalid path, which passes no hook. */
export function begin(request: FastifyRequest, reply: FastifyReply): void {
  const { system, host } = request.server;
  const { method } = request;
  const span = {
    name: method,
    kind: 'server',
    attributes: { 'http.request.method': method, 'url.scheme': request.protocol, 'latchkey.host': host.kind },
  } as const;
  const place = beginTrace(system.tracer, span, parentFrom(request.headers['traceparent']));
  if (place.span) endWith(reply, place.span);
  const trace = traceOf(request, place.traceId);
  request.place = place;
  request.trace = trace;
  reply.headers(DEFAULT_HEADERS);
  reply.header('x-correlation-id', trace.correlationId);
  reply.header('traceparent', traceparent(place));
}

/** Ends the span when the response closes. An aborted response closes before it is finished. */
function endWith({ raw, request }: FastifyReply, span: OpenSpan): void {
  raw.once('close', () => {
    const path = pathOf(request);
    if (path !== undefined) span.name(`${request.method} ${path}`);
    span.set({ 'http.response.status_code': raw.statusCode, ...(path !== undefined && { 'http.route': path }) });
    if (!raw.writableFinished) span.end('aborted');
    else span.end(raw.statusCode >= 500 ? String(raw.statusCode) : undefined);
  });
}

/** The pattern of the path of a request's route; undefined if no route has it. */
function pathOf(request: FastifyRequest): string | undefined {
  return request.route?.path ?? request.routeOptions.url;
}

function addMeasuring(app: App, { system, host }: Edge): void {
  const durations = requestDurations(system);
  const verbose = system.log.isLevelEnabled('debug');
  app.addHook('onResponse', (request, reply, done) => {
    durations.record(host, pathOf(request) ?? '', reply.statusCode, reply.elapsedTime);
    if (verbose)
      request.log.debug(
        {
          method: request.method,
          url: request.url.split('?', 1)[0],
          status: reply.statusCode,
          ms: reply.elapsedTime,
          ...request.trace,
        },
        'request',
      );
    done();
  });
}

function traceOf(request: FastifyRequest, traceId: string): Trace {
  const { headers } = request;
  return {
    correlationId: correlationIdFrom(headers['x-correlation-id'], traceId),
    traceId,
    ip: parseSource(request.ip),
    userAgent: headers['user-agent']?.slice(0, 256) ?? null,
    country: countryNamed(request),
    languages: headers['accept-language']?.slice(0, 256) ?? null,
  };
}

const trusted = perSystem(({ config }) => trustsSource(config.trustedProxies));

/** The country that the header of the configuration names. Only a trusted proxy is believed, as with `X-Forwarded-For`. */
function countryNamed({ headers, socket, server }: FastifyRequest): string | null {
  const { country } = server.system.config;
  if (country.header === null || !trusted(server.system)(socket.remoteAddress)) return null;
  return countryIn(headers[country.header]);
}

/** Host names are case-insensitive, and a trailing dot is ignored (RFC 1034 §3.1). */
function hostNameOf({ hostname }: FastifyRequest): string {
  return hostname.toLowerCase().replace(/\.$/, '');
}

function faultOf(request: FastifyRequest, { kind }: Host): Error | undefined {
  const { headers } = request;
  const forbidden = kind === 'console' ? undefined : CONSOLE_HEADERS.find((name) => headers[name] !== undefined);
  if (forbidden)
    return problem(
      'CONSOLE_HEADER_NOT_ALLOWED',
      `Received the header ${forbidden}. It is for the console only; here the token determines workspace, project and environment. Remove it.`,
    );
  if (request.url.includes('%00')) return problem('VALIDATION_FAILED', 'The address contains a NUL character.');
  return undefined;
}

function unknownHost({ own }: Edge, received: string): Error {
  return problem(
    'UNKNOWN_HOST',
    `Received a request for the host "${received.slice(0, 255)}"; this listener serves ${own.url}. Configure a public address with LATCHKEY_*_URL, bind a verified domain to a project, or send the right Host header.`,
  );
}
