import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest, preHandlerHookHandler, preSerializationHookHandler } from 'fastify';
import { type TProperties, Type } from 'typebox';
import { isDatabaseAway, isSerializationFailure } from './db.ts';
import { asRequest } from './held-connections.ts';
import type { App } from './http.ts';
import {
  AlreadyAnswered,
  type Claim,
  claiming,
  claimOf,
  earlierResponse,
  keepResponse,
  releasing,
  replay,
  turnOf,
} from './http-once.ts';
import { limitsOf } from './limits.ts';
import { type ErrorCode, problem } from './problem.ts';
import type { Route } from './route.ts';
import { keyTurns, Unit } from './unit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set while the request is one transaction. */
    unit: Unit | undefined;
    /** The row of the request's `Idempotency-Key`. */
    claim: Claim | undefined;
  }
}

type Exchange = { app: App; request: FastifyRequest; reply: FastifyReply };

const CHANGES = ['PATCH', 'PUT', 'DELETE'];
/** Versioned paths, on the hosts of customers and of the console. */
const VERSIONED = /^(\/console)?\/v1\//;
const TWELVE_MONTHS_MS = 365 * 86_400_000;

const IdempotencyKey = Type.String({
  minLength: 1,
  maxLength: 255,
  description:
    'Makes the request idempotent: within 24 hours the same caller, path, key and body get the first response again, with `Idempotent-Replayed: true`.',
});
const IfMatch = Type.String({
  maxLength: 1_000,
  description: 'The `ETag` of the state that the change is meant for; 412 if the record has changed since.',
});
const IfNoneMatch = Type.String({
  maxLength: 1_000,
  description: 'The `ETag` of the state you have; 304 if the record has not changed.',
});

const WEAK_TAG =
  'A weak tag (`W/"…"`) never matches in `If-Match`. Send the `ETag` as the record has it; a proxy may have weakened it.';

const UNCHANGED = { type: 'null', description: 'Unchanged since the given ETag.' };

/** Adds the HTTP rules that all routes share. Routes declare them; OpenAPI shows them. */
export function addExchangeRules(app: App): void {
  app.decorateRequest('unit', undefined);
  app.decorateRequest('claim', undefined);
  app.addHook('onSend', (request, reply, payload, done) => {
    addLimitHeaders(request, reply);
    if (isUnchanged(request, reply)) {
      reply.code(304).removeHeader('content-type').removeHeader('content-length');
      return done(null, null);
    }
    if (!request.unit) return done(null, payload);
    settle(request, reply, payload).then(() => done(null, payload), done);
  });
  // A request that is aborted without a response must not keep its transaction.
  app.addHook('onResponse', (request, _reply, done) => {
    if (!request.unit) return done();
    request.unit.rollback().then(() => done(), done);
  });
}

/** The hooks of a route by its declaration: idempotency keys and preconditions of changes, tags of records. */
export function exchangeHooks(app: App, route: Route, reader: Route | undefined) {
  const keyed = takesKey(route);
  const conditional = mayMatch(route);
  const { ahead } = route;
  const preHandler: preHandlerHookHandler = (request, reply, done) => {
    const { headers } = request;
    const key = keyed ? headers['idempotency-key'] : undefined;
    const match = conditional ? headers['if-match'] : undefined;
    if (key === undefined && match === undefined && !ahead) return done();
    asRequest((note) => {
      begin({ app, request, reply }, { key, match, ahead, note }).then((goesOn) => goesOn && done(), done);
    });
  };
  const preSerialization: preSerializationHookHandler = (_request, reply, payload, done) => {
    if (reader && reply.statusCode === 200) reply.header('etag', etagOf(payload, reader));
    done(null, payload);
  };
  return {
    ...((keyed || conditional || ahead) && { preHandler }),
    ...(reader && ['GET', 'PATCH', 'PUT'].includes(route.method) && { preSerialization }),
  };
}

/** A body that is read while it comes can't be compared with the one of the first request. */
function takesKey({ method, path, streams }: Route): boolean {
  return method === 'POST' && VERSIONED.test(path) && !streams;
}

function mayMatch({ method, path }: Route): boolean {
  return CHANGES.includes(method) && VERSIONED.test(path);
}

type Beginning = {
  key: string | string[] | undefined;
  match: string | undefined;
  ahead: Route['ahead'];
  note: (held: boolean) => void;
};

/** @returns false if the response has been sent already */
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
  const claim = await claimOf(request, String(key));
  const ended = await keyTurns(app.system).take(claim.id.toString('base64'));
  try {
    const stored = await earlierResponse(app.system, request, claim);
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
  const unclaim = releasing(claim);
  request.claim = claim;
  carry(
    request,
    new Unit(app.system, {
      isolation: 'read committed',
      caller: turnOf(request),
      note: beginning.note,
      first,
      unclaim,
      ended,
    }),
  );
  return true;
}

function carry(request: FastifyRequest, unit: Unit): void {
  request.unit = unit;
  if (request.ctx) request.ctx = { ...request.ctx, db: unit.db, unit };
}

/** Reads the record in the snapshot of the change, so a concurrent change makes this one fail (RFC 9110 §13.1.1). */
async function requireMatch({ request, reply }: Exchange, match: string): Promise<void> {
  if (match.trim() === '*') return;
  const { reader } = request.routeOptions.config;
  if (!reader) throw problem('PRECONDITION_FAILED', 'This path has no `ETag`; omit `If-Match`.');
  await request.unit?.begin();
  const record: unknown = await reader.handler(request, reply);
  if (named(match).includes(etagOf(record, reader))) return;
  throw problem('PRECONDITION_FAILED', {
    ...(/(?:^|,)\s*W\//.test(match) && { detail: WEAK_TAG }),
  });
}

function named(header: string): string[] {
  return header.split(',').map((tag) => tag.trim());
}

function etagOf(record: unknown, { etag }: Route): string {
  const without = etag === undefined || etag === true ? [] : etag.without;
  const state = JSON.stringify(without.reduce((kept, path) => leavingOut(kept, path.split('.')), record));
  return `"${hash('sha256', state, 'base64url').slice(0, 22)}"`;
}

/** A copy without the field at a path, of each item where there is a list. */
function leavingOut(value: unknown, path: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => leavingOut(item, path));
  if (typeof value !== 'object' || value === null) return value;
  const [name, ...rest] = path;
  const fields = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    if (key !== name) return [[key, inner]];
    return rest.length === 0 ? [] : [[key, leavingOut(inner, rest)]];
  });
  return Object.fromEntries(fields);
}

function isUnchanged({ method, headers }: FastifyRequest, reply: FastifyReply): boolean {
  const known = headers['if-none-match'];
  if (known === undefined || method !== 'GET' || reply.statusCode !== 200) return false;
  const etag = reply.getHeader('etag');
  return typeof etag === 'string' && isKnownState(known, etag);
}

/**
 * True if `If-None-Match` names this state. `*` matches any state; weak and strong tags are equal (RFC 9110 §13.1.2).
 */
export function isKnownState(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const opaque = etag.replace(/^W\//, '');
  return header.trim() === '*' || named(header).some((tag) => tag.replace(/^W\//, '') === opaque);
}

/**
 * Ends the request's transaction together with its response.
 * @throws Problem PRECONDITION_FAILED if a concurrent change committed first
 */
async function settle(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<void> {
  const { unit, claim, server } = request;
  request.unit = undefined;
  if (!unit) return;
  const refused = reply.statusCode >= 400;
  try {
    if (reply.statusCode >= 500) return await unit.rollback();
    if (claim) await keepResponse(server.system, { unit, claim }, { reply, payload });
    await unit.commit();
  } catch (error) {
    await unit.rollback();
    // A refusal has nothing to commit. The response that another process stored first stands.
    if (refused || error instanceof AlreadyAnswered) return;
    if (isSerializationFailure(error)) throw problem('PRECONDITION_FAILED');
    if (!isDatabaseAway(error)) request.log.error({ err: error }, 'the transaction of a request could not be ended');
    throw error;
  }
}

/**
 * Sets `RateLimit` (draft-ietf-httpapi-ratelimit-headers) if a limit counted the request, `Deprecation` and `Sunset`.
 */
function addLimitHeaders(request: FastifyRequest, reply: FastifyReply): void {
  const limits = limitsOf(request.trace);
  if (limits.length > 0) {
    reply.header('ratelimit-policy', limits.map((s) => `"${s.name}";q=${s.points};w=${s.seconds}`).join(', '));
    reply.header('ratelimit', limits.map((s) => `"${s.name}";r=${s.remaining};t=${s.resetSeconds}`).join(', '));
  }
  const deprecated = request.route?.deprecated;
  if (!deprecated) return;
  reply.header('deprecation', `@${Math.floor(deprecated.since.getTime() / 1000)}`);
  reply.header('sunset', deprecated.sunset.toUTCString());
  if (deprecated.link !== undefined) reply.header('link', `<${deprecated.link}>; rel="deprecation"`);
}

/**
 * The headers and responses that these rules add to the description of a route.
 * @throws Error for a deprecation that ends too soon
 */
export function exchangeOf(route: Route, reader: Route | undefined) {
  const { method, path, etag, deprecated } = route;
  if (deprecated && +deprecated.sunset - +deprecated.since < TWELVE_MONTHS_MS)
    throw new Error(`${path}: sunset comes less than 12 months after.`);
  const headers: TProperties = {};
  const problems: ErrorCode[] = [];
  if (takesKey(route)) {
    headers['idempotency-key'] = Type.Optional(IdempotencyKey);
    problems.push('IDEMPOTENCY_KEY_REUSED');
  }
  if (mayMatch(route)) {
    if (reader) headers['if-match'] = Type.Optional(IfMatch);
    problems.push('PRECONDITION_FAILED');
  }
  const isRecord = method === 'GET' && etag !== undefined;
  if (isRecord) headers['if-none-match'] = Type.Optional(IfNoneMatch);
  return { headers, problems, unchanged: isRecord && { 304: UNCHANGED } };
}
