import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { hasOneHost } from './http-malformed.ts';
import { requestDurations } from './http-metrics.ts';
import type { System } from './system.ts';
import { correlationIdFrom, traceIdFrom, traceparent } from './trace.ts';

/** An answer that is known before anybody asks. */
export type ReadyAnswer = { body: string | Buffer; etag: string; headers: Record<string, string> };

/** Longer than the minute for which load balancers keep a connection, so that they end it and not we, in mid-request. */
const KEEP_ALIVE_MS = 72_000;

/** Headers that make an answer depend on who asks: the routes look at those. */
const DEPENDS = ['origin', 'x-workspace-id', 'x-project-id', 'x-tenant-id', 'x-environment'];

/**
 * Answers to the most frequent requests, sent before routing, hooks and serialisation: for documents that are the same for
 * everybody and asked for all the time. Whatever is unusual about a request leaves it to its route, which must answer the same.
 */
export class ReadyAnswers {
  readonly #answers = new Map<string, () => ReadyAnswer | undefined>();
  readonly #durations: ReturnType<typeof requestDurations>;
  readonly #host: { kind: string; environment: string | null };
  readonly #hostNames: ReadonlySet<string>;

  constructor(system: System, host: { kind: string; environment: string | null }, hostNames: ReadonlySet<string>) {
    this.#durations = requestDurations(system);
    this.#host = host;
    this.#hostNames = hostNames;
  }

  /** @param find undefined when there is nothing yet: the route makes it */
  add(path: string, find: () => ReadyAnswer | undefined): void {
    this.#answers.set(path, find);
  }

  /** An HTTP server that has these answers before its handler. */
  server(handler: RequestListener): Server {
    // Of headers; bodies have a time of their own.
    const options = { requestTimeout: 0, keepAliveTimeout: KEEP_ALIVE_MS, requireHostHeader: false };
    return createServer(options, (request, response) => {
      if (!this.#answer(request, response)) handler(request, response);
    });
  }

  #answer(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = '', method, headers } = request;
    const find = method === 'GET' ? this.#answers.get(url) : undefined;
    if (!find || !this.#isPlain(request)) return false;
    const began = performance.now();
    const found = find();
    if (!found) return false;
    const given = headers['if-none-match'];
    // Lists and weak forms are for the route to compare (RFC 9110 §13.1.2).
    if (given !== undefined && given !== found.etag) return false;
    const traceId = traceIdFrom(headers['traceparent']);
    const unchanged = given !== undefined;
    response.writeHead(unchanged ? 304 : 200, [
      ...fieldsOf(found),
      'x-correlation-id',
      correlationIdFrom(headers['x-correlation-id'], traceId),
      'traceparent',
      traceparent(traceId),
      'x-content-type-options',
      'nosniff',
    ]);
    response.end(unchanged ? undefined : found.body);
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

const fields = new WeakMap<ReadyAnswer, readonly string[]>();

/** The header fields of an answer, put together once; a 304 has the length of what it stands for (RFC 9110 §8.6). */
function fieldsOf(found: ReadyAnswer): readonly string[] {
  const known = fields.get(found);
  if (known) return known;
  const { headers, etag, body } = found;
  const made = [...Object.entries(headers).flat(), 'etag', etag, 'content-length', String(Buffer.byteLength(body))];
  fields.set(found, made);
  return made;
}
