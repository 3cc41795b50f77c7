import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import { hasOneHost } from './http-malformed.ts';
import { requestDurations } from './http-metrics.ts';
import { type SourceCounter, sourceCounts } from './http-sources.ts';
import { parseSource, sourceOf, trustsSource } from './source.ts';
import type { System } from './system.ts';
import { beginTrace, correlationIdFrom, parentFrom, traceparent } from './trace.ts';

/** A response that needs no routing. `headers` is one object for all responses of a kind: its fields are written once. */
export type EarlyResponse = { body: string | Buffer; etag?: string; headers: Readonly<Record<string, string>> };

/** A document that the client may have already. */
export type EarlyDocument = EarlyResponse & { etag: string };

/** The content of a short form; empty for a read. The client authenticates by `authorization` or in the form. */
export type EarlyForm = { form: string; authorization: string | undefined };

/** @returns undefined for what only the route can answer: the request goes on to it unchanged */
export type RespondEarly = (request: EarlyForm) => EarlyResponse | undefined | Promise<EarlyResponse | undefined>;

/** A route that answers early, and the limit by source that counts its requests. */
type Row = { path: string; respond: RespondEarly; counter: SourceCounter | undefined };

/** Longer than the 60 seconds of common load balancers, so that they close idle connections before this server does. */
const KEEP_ALIVE_MS = 72_000;

/** Headers that make a response depend on the caller, or the request unusual; such requests go to the routes. */
const DEPENDS = ['origin', 'x-workspace-id', 'x-project-id', 'x-tenant-id', 'x-environment'];
const UNUSUAL_WITH_FORM = ['dpop', 'transfer-encoding', 'content-encoding', 'expect'];
const FORM = /^application\/x-www-form-urlencoded(?:; ?charset=utf-8)?$/i;
/** A form of at most 4 KiB, which arrives in one piece with its headers. */
const SHORT = /^(?:[1-9]\d{0,2}|[1-3]\d{3}|40[0-8]\d)$/;

/**
 * Responses to the most frequent requests, sent before routing, hooks and serialisation: to public documents that are the
 * same for everyone, to reads of what is in memory, and to plain forms. Every other request falls through to its route, with
 * its body, and the route gives the same response. Limits by source, metrics and traces are the same on both ways.
 */
export class EarlyResponses {
  readonly #rows = { GET: new Map<string, Row>(), POST: new Map<string, Row>() };
  readonly #system: System;
  readonly #durations: ReturnType<typeof requestDurations>;
  readonly #host: { kind: string; environment: string | null };
  readonly #hostNames: ReadonlySet<string>;
  readonly #trusts: (address: string | undefined) => boolean;
  /** False while the host closes, and at the level that logs every request. */
  #open: boolean;

  constructor(system: System, host: { kind: string; environment: string | null }, hostNames: ReadonlySet<string>) {
    this.#system = system;
    this.#durations = requestDurations(system);
    this.#host = host;
    this.#hostNames = hostNames;
    this.#trusts = trustsSource(system.config.trustedProxies);
    this.#open = !system.log.isLevelEnabled('debug');
  }

  add(method: 'GET' | 'POST', row: Row): void {
    this.#rows[method].set(row.path, row);
  }

  /** From now on the routes answer, which close their connections. */
  close(): void {
    this.#open = false;
  }

  /** Creates an HTTP server that tries these responses before its handler. */
  server(handler: RequestListener): Server {
    // Node's requestTimeout covers headers and body; bodies have a timeout of their own.
    const options = { requestTimeout: 0, keepAliveTimeout: KEEP_ALIVE_MS, requireHostHeader: false };
    return createServer(options, (request, response) => {
      const { method, url = '' } = request;
      const row = method === 'GET' || method === 'POST' ? this.#rows[method].get(url) : undefined;
      if (!row || !this.#isPlain(request)) handler(request, response);
      else if (method === 'GET') this.#respondToRead(row, { request, response }, () => handler(request, response));
      else this.#respondToForm(row, { request, response }, () => handler(request, response));
    });
  }

  #respondToRead(row: Row, exchange: Exchange, goOn: () => void): void {
    this.#respond(row, exchange, { form: '', authorization: exchange.request.headers.authorization }, goOn);
  }

  /** Reads a form that is there as a whole and puts it back, so that a route finds it. */
  #respondToForm(row: Row, exchange: Exchange, goOn: () => void): void {
    const { request } = exchange;
    const { headers } = request;
    const length = SHORT.test(headers['content-length'] ?? '') ? Number(headers['content-length']) : 0;
    const isForm = FORM.test(headers['content-type'] ?? '') && UNUSUAL_WITH_FORM.every((name) => !headers[name]);
    if (length === 0 || !isForm) {
      goOn();
      return;
    }
    // The parser has passed on the whole packet by then. Nothing waits here for a body: the routes limit its time.
    process.nextTick(() => {
      const body: unknown = request.readableLength === length ? request.read() : null;
      if (!Buffer.isBuffer(body)) {
        goOn();
        return;
      }
      request.unshift(body);
      this.#respond(row, exchange, { form: body.toString(), authorization: headers.authorization }, goOn);
    });
  }

  #respond(row: Row, exchange: Exchange, form: EarlyForm, goOn: () => void): void {
    const { request } = exchange;
    const began = performance.now();
    const refused = row.counter && sourceCounts(this.#system).refusedFor(row.counter, this.#sourceOf(request)) > 0;
    const found = refused ? undefined : row.respond(form);
    const use = (early: EarlyResponse | undefined) => {
      const given = request.headers['if-none-match'];
      // The route compares lists and weak tags (RFC 9110 §13.1.2).
      if (!early || (given !== undefined && given !== early.etag)) goOn();
      else this.#send(row, exchange, { early, unchanged: given !== undefined, began });
    };
    if (found instanceof Promise) found.then(use, goOn);
    else use(found);
  }

  #send({ path }: Row, { request, response }: Exchange, sent: Sent): void {
    const { early, unchanged, began } = sent;
    const { headers, method = '' } = request;
    const status = unchanged ? 304 : 200;
    const { tracer } = this.#system;
    const span = {
      name: tracer ? `${method} ${path}` : path,
      kind: 'server',
      attributes: tracer ? { ...this.#attributesOf(request), 'http.route': path } : {},
    } as const;
    const place = beginTrace(tracer, span, parentFrom(headers['traceparent']));
    const fields = [
      'x-content-type-options',
      'nosniff',
      'x-correlation-id',
      correlationIdFrom(headers['x-correlation-id'], place.traceId),
      'traceparent',
      traceparent(place),
      ...fieldsOf(early.headers),
    ];
    if (early.etag !== undefined) fields.push('etag', early.etag);
    if (!unchanged) fields.push('content-length', String(Buffer.byteLength(early.body)));
    response.writeHead(status, fields);
    response.end(unchanged ? undefined : early.body);
    place.span?.set({ 'http.response.status_code': status });
    place.span?.end();
    this.#durations.record(this.#host, path, status, performance.now() - began);
  }

  #attributesOf({ socket, headers, method = '' }: IncomingMessage) {
    const forwarded = this.#trusts(socket.remoteAddress) ? headers['x-forwarded-proto'] : undefined;
    const [scheme] = [forwarded ?? []].flat().join().split(',').slice(-1);
    const own = 'encrypted' in socket ? 'https' : 'http';
    return { 'http.request.method': method, 'url.scheme': scheme?.trim() || own, 'latchkey.host': this.#host.kind };
  }

  #sourceOf(request: IncomingMessage): string {
    return sourceOf({ ip: parseSource(proxyAddr(request, this.#trusts)) });
  }

  #isPlain(request: IncomingMessage): boolean {
    const { headers } = request;
    const forwarded = headers['x-forwarded-host'];
    const known = (name: unknown) => typeof name === 'string' && this.#hostNames.has(name);
    if (!this.#open || !hasOneHost(request)) return false;
    if (!known(headers.host) || (forwarded !== undefined && !known(forwarded))) return false;
    for (const name of DEPENDS) if (headers[name] !== undefined) return false;
    return true;
  }
}

type Exchange = { request: IncomingMessage; response: ServerResponse };
type Sent = { early: EarlyResponse; unchanged: boolean; began: number };

const fields = new WeakMap<EarlyResponse['headers'], readonly string[]>();

/** The header fields that all responses of a kind have, computed once. */
function fieldsOf(headers: EarlyResponse['headers']): readonly string[] {
  const known = fields.get(headers);
  if (known) return known;
  const computed = Object.entries(headers).flat();
  fields.set(headers, computed);
  return computed;
}
