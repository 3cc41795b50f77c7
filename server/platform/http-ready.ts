import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { hasOneHost } from './http-malformed.ts';
import { requestDurations } from './http-metrics.ts';
import type { System } from './system.ts';
import { beginTrace, correlationIdFrom, parentFrom, type Tracer, traceparent } from './trace.ts';

/** A response that is prepared in advance. */
export type PreparedResponse = { body: string | Buffer; etag: string; headers: Record<string, string> };

/** Longer than the 60 seconds of common load balancers, so that they close idle connections before this server does. */
const KEEP_ALIVE_MS = 72_000;

/** Headers that make a response depend on the caller; such requests go to the routes. */
const DEPENDS = ['origin', 'x-workspace-id', 'x-project-id', 'x-tenant-id', 'x-environment'];

/**
 * Prepared responses to the most frequent requests, sent before routing, hooks and serialisation: for public documents
 * that are the same for everyone. Unusual requests fall through to the route, which must give the same response.
 */
export class PreparedResponses {
  readonly #responses = new Map<string, () => PreparedResponse | undefined>();
  readonly #tracer: Tracer | null;
  readonly #durations: ReturnType<typeof requestDurations>;
  readonly #host: { kind: string; environment: string | null };
  readonly #hostNames: ReadonlySet<string>;

  constructor(system: System, host: { kind: string; environment: string | null }, hostNames: ReadonlySet<string>) {
    this.#tracer = system.tracer;
    this.#durations = requestDurations(system);
    this.#host = host;
    this.#hostNames = hostNames;
  }

  /** @param find undefined while there is no response yet; the route creates it */
  add(path: string, find: () => PreparedResponse | undefined): void {
    this.#responses.set(path, find);
  }

  /** Creates an HTTP server that tries these responses before its handler. */
  server(handler: RequestListener): Server {
    // Node's requestTimeout covers headers and body; bodies have a timeout of their own.
    const options = { requestTimeout: 0, keepAliveTimeout: KEEP_ALIVE_MS, requireHostHeader: false };
    return createServer(options, (request, response) => {
      if (!this.#respond(request, response)) handler(request, response);
    });
  }

  #respond(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = '', method, headers } = request;
    const find = method === 'GET' ? this.#responses.get(url) : undefined;
    if (!find || !this.#isPlain(request)) return false;
    const began = performance.now();
    const found = find();
    if (!found) return false;
    const given = headers['if-none-match'];
    // The route compares lists and weak tags (RFC 9110 §13.1.2).
    if (given !== undefined && given !== found.etag) return false;
    const attributes = { 'http.request.method': 'GET', 'http.route': url, 'latchkey.host': this.#host.kind };
    const span = { name: `GET ${url}`, kind: 'server', attributes } as const;
    const place = beginTrace(this.#tracer, span, parentFrom(headers['traceparent']));
    const unchanged = given !== undefined;
    response.writeHead(unchanged ? 304 : 200, [
      ...fieldsOf(found),
      'x-correlation-id',
      correlationIdFrom(headers['x-correlation-id'], place.traceId),
      'traceparent',
      traceparent(place),
      'x-content-type-options',
      'nosniff',
    ]);
    response.end(unchanged ? undefined : found.body);
    place.span?.set({ 'http.response.status_code': unchanged ? 304 : 200 });
    place.span?.end();
    this.#durations.record(this.#host, url, unchanged ? 304 : 200, performance.now() - began);
    return true;
  }

  #isPlain(request: IncomingMessage): boolean {
    const { headers } = request;
    const forwarded = headers['x-forwarded-host'];
    const known = (name: unknown) => typeof name === 'string' && this.#hostNames.has(name);
    if (!hasOneHost(request) || !known(headers.host) || (forwarded !== undefined && !known(forwarded))) return false;
    for (const name of DEPENDS) if (headers[name] !== undefined) return false;
    return true;
  }
}

const fields = new WeakMap<PreparedResponse, readonly string[]>();

/** The header fields of a response, computed once. A 304 has the length of the full response (RFC 9110 §8.6). */
function fieldsOf(found: PreparedResponse): readonly string[] {
  const known = fields.get(found);
  if (known) return known;
  const { headers, etag, body } = found;
  const computed = [...Object.entries(headers).flat(), 'etag', etag, 'content-length', String(Buffer.byteLength(body))];
  fields.set(found, computed);
  return computed;
}
