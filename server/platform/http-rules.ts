import { hash } from 'node:crypto';
import type { FastifyContextConfig, FastifyReply, FastifyRequest, RouteHandlerMethod, RouteOptions } from 'fastify';
import { type TProperties, Type } from 'typebox';
import { isDatabaseAway, isSerializationFailure } from './db.ts';
import { asRequest } from './held-connections.ts';
import type { App } from './http.ts';
import { AnsweredBefore, claiming, claimOf, earlierAnswer, keepAnswer, replay, turnOf } from './http-once.ts';
import { limitsOf } from './limits.ts';
import { type ErrorCode, problem, problemResponses, withProblems } from './problem.ts';
import { keyTurns, Unit } from './unit.ts';

/** A route on its way out (RFC 9745, RFC 8594). */
type Deprecation = { since: Date; sunset: Date; link?: string };

declare module 'fastify' {
  interface FastifyRequest {
    /** Set while the request is one transaction. */
    unit: Unit | undefined;
    /** The row of its `Idempotency-Key`. */
    claim: Buffer | undefined;
  }
  interface FastifyContextConfig {
    /**
     * Of a GET: answers one record, which then has an `ETag`; PATCH, PUT and DELETE of the same path honour `If-Match`. Fields
     * that change by themselves (`without`) make no other state of the record.
     */
    etag?: true | { without: readonly string[] };
    /** Of a change: the path whose record it changes and answers, where it is not its own. */
    changes?: string;
    /** Asks others before the request becomes a transaction, and not again for an answer that is known: see `askedAhead`. */
    ahead?: (request: FastifyRequest) => Promise<void>;
    /** False on a POST whose body is a stream. */
    idempotencyKey?: false;
    deprecated?: Deprecation;
  }
}

type Reader = { handler: RouteHandlerMethod; without: readonly string[] };
type Readers = ReadonlyMap<string, Reader>;
type Exchange = { app: App; request: FastifyRequest; reply: FastifyReply; readers: Readers };

const CHANGES = ['PATCH', 'PUT', 'DELETE'];
/** Paths of the interface, on customers' hosts and on the console's. */
const VERSIONED = /^(\/console)?\/v1\//;
const TWELVE_MONTHS_MS = 365 * 86_400_000;

const IdempotencyKey = Type.String({
  minLength: 1,
  maxLength: 255,
  description:
    'Makes the request happen once: within 24 hours the same caller, path, key and body get the first answer again, with `Idempotent-Replayed: true`.',
});
const IfMatch = Type.String({
  maxLength: 1_000,
  description: 'The `ETag` of the state that the change is meant for; when the record has another by now, 412.',
});
const IfNoneMatch = Type.String({
  maxLength: 1_000,
  description: 'The `ETag` of the state you have; when the record is still in it, 304.',
});

/** What every route gives its callers alike: declared in its configuration, seen in OpenAPI, done here. */
export function addExchangeRules(app: App): void {
  const readers = new Map<string, Reader>();
  app.decorateRequest('unit', undefined);
  app.decorateRequest('claim', undefined);
  app.addHook('onRoute', (route) => {
    const { etag } = route.config ?? {};
    if (route.method === 'GET' && etag)
      readers.set(route.url, { handler: route.handler, without: etag === true ? [] : etag.without });
    describe(route, readers);
  });
  app.addHook('preHandler', (request, reply, done) => {
    const { headers, routeOptions } = request;
    const key = takesKey(routeOptions) ? headers['idempotency-key'] : undefined;
    const match = mayMatch(routeOptions) ? headers['if-match'] : undefined;
    const { ahead } = routeOptions.config;
    if (key === undefined && match === undefined && !ahead) return done();
    asRequest((note) => {
      begin({ app, request, reply, readers }, { key, match, ahead, note }).then((goesOn) => goesOn && done(), done);
    });
  });
  app.addHook('preSerialization', (request, reply, payload, done) => {
    const reader = reply.statusCode === 200 ? recordOf(request, readers) : undefined;
    if (reader) reply.header('etag', etagOf(payload, reader));
    done(null, payload);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    addStandingHeaders(request, reply);
    if (isUnchanged(request, reply)) {
      reply.code(304).removeHeader('content-type').removeHeader('content-length');
      return done(null, null);
    }
    if (!request.unit) return done(null, payload);
    settle(request, reply, payload).then(() => done(null, payload), done);
  });
  // What never got an answer (the process gave up on it) must not keep its transaction.
  app.addHook('onResponse', (request, _reply, done) => {
    if (!request.unit) return done();
    request.unit.rollback().then(() => done(), done);
  });
}

type Routed = { method?: unknown; url?: string | undefined; config?: { idempotencyKey?: false; changes?: string } };

function takesKey({ method, url, config }: Routed): boolean {
  return method === 'POST' && VERSIONED.test(url ?? '') && config?.idempotencyKey !== false;
}

function mayMatch({ method, url }: Routed): boolean {
  return CHANGES.includes(String(method)) && VERSIONED.test(url ?? '');
}

type Beginning = {
  key: string | string[] | undefined;
  match: string | undefined;
  ahead: FastifyContextConfig['ahead'];
  note: (held: boolean) => void;
};

/** @returns false when the answer has been given already */
async function begin(exchange: Exchange, beginning: Beginning): Promise<boolean> {
  const { app, request, reply } = exchange;
  const { key, match, ahead } = beginning;
  if (key === undefined) {
    await ahead?.(request);
    if (match !== undefined) {
      carry(
        request,
        new Unit(app.system, { isolation: 'repeatable read', caller: turnOf(request), note: beginning.note }),
      );
      await requireMatch(exchange, match);
    }
    return true;
  }
  const claim = claimOf(request, String(key));
  const ended = await keyTurns(app.system).take(claim.toString('base64'));
  try {
    const stored = await earlierAnswer(app.system, request, claim);
    if (stored) {
      ended();
      replay(reply, stored);
      return false;
    }
    await ahead?.(request);
  } catch (error) {
    ended();
    throw error;
  }
  const first = claiming(app.system, request, claim);
  request.claim = claim;
  carry(
    request,
    new Unit(app.system, { isolation: 'read committed', caller: turnOf(request), note: beginning.note, first, ended }),
  );
  return true;
}

function carry(request: FastifyRequest, unit: Unit): void {
  request.unit = unit;
  if (request.ctx) request.ctx = { ...request.ctx, db: unit.db, unit };
}

/** The record is read in the change's own snapshot: who changes it meanwhile makes the change fail (RFC 9110 §13.1.1). */
async function requireMatch({ app, request, reply, readers }: Exchange, match: string): Promise<void> {
  if (match.trim() === '*') return;
  const reader = readers.get(pathOfRecord(request.routeOptions));
  if (!reader) throw problem('PRECONDITION_FAILED', 'This path has no `ETag`; omit `If-Match`.');
  await request.unit?.begin();
  const record: unknown = await reader.handler.call(app, request, reply);
  if (!named(match).includes(etagOf(record, reader))) throw problem('PRECONDITION_FAILED');
}

function named(header: string): string[] {
  return header.split(',').map((tag) => tag.trim());
}

function pathOfRecord({ url, config }: Routed): string {
  return config?.changes ?? url ?? '';
}

/** The reader of the record that an answer shows. */
function recordOf({ method, routeOptions }: FastifyRequest, readers: Readers): Reader | undefined {
  return method === 'GET' || method === 'PATCH' || method === 'PUT'
    ? readers.get(pathOfRecord(routeOptions))
    : undefined;
}

function etagOf(record: unknown, { without }: Reader): string {
  const state = JSON.stringify(record, (key, value: unknown) => (without.includes(key) ? undefined : value));
  return `"${hash('sha256', state, 'base64url').slice(0, 22)}"`;
}

function isUnchanged({ method, headers }: FastifyRequest, reply: FastifyReply): boolean {
  const known = headers['if-none-match'];
  if (known === undefined || method !== 'GET' || reply.statusCode !== 200) return false;
  const etag = reply.getHeader('etag');
  return typeof etag === 'string' && isKnownState(known, etag);
}

/** Does `If-None-Match` name this state? `*` names any, and whether a tag is weak makes no difference (RFC 9110 §13.1.2). */
export function isKnownState(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const opaque = etag.replace(/^W\//, '');
  return header.trim() === '*' || named(header).some((tag) => tag.replace(/^W\//, '') === opaque);
}

/** Ends the request's transaction with its answer. @throws Problem PRECONDITION_FAILED when another change was first */
async function settle(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<void> {
  const { unit, claim, server } = request;
  request.unit = undefined;
  if (!unit) return;
  const refused = reply.statusCode >= 400;
  try {
    if (reply.statusCode >= 500) return await unit.rollback();
    if (claim) await keepAnswer(server.system, { unit, claim }, { reply, payload });
    await unit.commit();
  } catch (error) {
    await unit.rollback();
    // A refusal stands: there was nothing to keep. So does what another process kept first.
    if (refused || error instanceof AnsweredBefore) return;
    if (isSerializationFailure(error)) throw problem('PRECONDITION_FAILED');
    if (!isDatabaseAway(error)) request.log.error({ err: error }, 'the transaction of a request could not be ended');
    throw error;
  }
}

/** `RateLimit` fields (draft-ietf-httpapi-ratelimit-headers) where a limit counted the request; `Deprecation` and `Sunset`. */
function addStandingHeaders(request: FastifyRequest, reply: FastifyReply): void {
  const standings = limitsOf(request.trace);
  if (standings.length > 0) {
    reply.header('ratelimit-policy', standings.map((s) => `"${s.name}";q=${s.points};w=${s.seconds}`).join(', '));
    reply.header('ratelimit', standings.map((s) => `"${s.name}";r=${s.remaining};t=${s.resetSeconds}`).join(', '));
  }
  const { deprecated } = request.routeOptions.config;
  if (!deprecated) return;
  reply.header('deprecation', `@${Math.floor(deprecated.since.getTime() / 1000)}`);
  reply.header('sunset', deprecated.sunset.toUTCString());
  if (deprecated.link !== undefined) reply.header('link', `<${deprecated.link}>; rel="deprecation"`);
}

/** Writes into a route's schema what it takes and answers by these rules. */
function describe(route: RouteOptions, readers: Readers): void {
  const { config, schema, method, url } = route;
  if (!schema || schema.hide) return;
  if (takesKey(route))
    route.schema = extended(
      route.schema,
      { 'idempotency-key': Type.Optional(IdempotencyKey) },
      'IDEMPOTENCY_KEY_REUSED',
    );
  if (mayMatch(route)) {
    const hasETag = readers.has(pathOfRecord(route));
    route.schema = extended(route.schema, hasETag ? { 'if-match': Type.Optional(IfMatch) } : {}, 'PRECONDITION_FAILED');
  }
  if (method === 'GET' && config?.etag) {
    route.schema = extended(route.schema, { 'if-none-match': Type.Optional(IfNoneMatch) });
    Object.assign(Object(route.schema['response']), {
      304: { type: 'null', description: 'You have this state already.' },
    });
  }
  if (config?.changes !== undefined && !readers.has(config.changes))
    throw new Error(`${url} changes ${config.changes}, which must be declared before it, with an etag.`);
  if (!config?.deprecated) return;
  const { since, sunset } = config.deprecated;
  if (+sunset - +since < TWELVE_MONTHS_MS) throw new Error(`${url}: sunset comes less than 12 months after.`);
  route.schema = { ...route.schema, deprecated: true };
}

type Schema = NonNullable<RouteOptions['schema']>;

function extended(schema: RouteOptions['schema'], headers: TProperties, ...codes: ErrorCode[]): Schema {
  const own: { headers?: { properties?: TProperties }; response?: Parameters<typeof withProblems>[0] } = Object(schema);
  return {
    ...schema,
    headers: Type.Object({ ...own.headers?.properties, ...headers }, { additionalProperties: true }),
    response: withProblems(own.response ?? {}, problemResponses(...codes)),
  };
}
