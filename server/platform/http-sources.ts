import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { App } from './http.ts';
import { problemResponses, problemWithRetry, withProblems } from './problem.ts';
import { sourceOf } from './source.ts';
import { perSystem } from './system.ts';

const QUARTER_HOUR_MS = 15 * 60_000;

type SourceRule = { points: number; counts: string; of: 'all' | 'unsuccessful' | 'refused' };

/**
 * Requests of one source that anybody may send: each process counts them in memory for a quarter of an hour, before it reads
 * their body, writes a row or hashes. Many people behind one address must get through, so the numbers are large; what is
 * guessed at or mailed has smaller ones of its own.
 */
export const SOURCE_COUNTERS = {
  begin: { points: 3_000, of: 'all', counts: 'requests that begin something and leave a row' },
  proof: { points: 3_000, of: 'unsuccessful', counts: 'requests that ask for or show a proof' },
  password: { points: 1_000, of: 'all', counts: 'requests that may set a password' },
  client: { points: 1_000, of: 'refused', counts: 'requests of clients and tokens that are not known' },
} as const satisfies Record<string, SourceRule>;
export type SourceCounter = keyof typeof SOURCE_COUNTERS;

const LIMITED = { uncounted: 'it has a smaller limit per source of its own' };
const SIGNED = { uncounted: 'it takes signed notices, checked before anything is written' };
const HELD = { uncounted: 'it does nothing without a secret link or cookie, which is one read to check' };
const DEVELOPMENT = { uncounted: 'it is served in development only' };

/**
 * Every route that anybody may call and that changes something, by method and path; `*` stands for any end. A process does not
 * start with a change that is missing here.
 */
export const ANONYMOUS_ROUTES: Readonly<Record<string, SourceCounter | { uncounted: string }>> = {
  'POST /v1/auth/register': 'password',
  'POST /v1/auth/password/reset': 'password',
  'POST /v1/auth/invitations/accept': 'password',
  'POST /v1/auth/login/passkey/options': 'begin',
  'GET /v1/auth/login/social/:provider/start': 'begin',
  'GET /v1/auth/login/social/:provider/callback': 'begin',
  'POST /v1/auth/*': 'proof',
  'POST /v1/sessions/refresh': 'client',
  'POST /v1/callbacks/*': SIGNED,
  'GET /connect/authorize': 'begin',
  'POST /connect/par': 'begin',
  'POST /connect/device_authorization': 'begin',
  'GET /connect/device': 'begin',
  'POST /connect/device': 'begin',
  'POST /connect/token': 'client',
  'GET /connect/userinfo': 'client',
  'POST /connect/userinfo': 'client',
  'POST /connect/introspect': 'client',
  'POST /connect/revoke': 'client',
  'POST /connect/register': 'client',
  'POST /connect/logout/confirm': 'proof',
  'POST /sign-in/:uid/register': 'password',
  'POST /sign-in/:uid/reset': 'password',
  'POST /sign-in/*': 'proof',
  'POST /link/:kind': 'password',
  'GET /account/passkeys/options': 'begin',
  'POST /account*': 'proof',
  'GET /console/v1/sign-in': 'begin',
  'POST /console/setup': 'password',
  'POST /console/invitation': 'password',
  'POST /api/status/subscribe': LIMITED,
  'POST /status/subscribe': LIMITED,
  'POST /status/manage': LIMITED,
  'POST /status/*': 'proof',
  'POST /api/status/heartbeats/:token': HELD,
  'POST /dev/*': DEVELOPMENT,
};

/** What a route is counted as. */
function declarationOf(method: string, url: string): SourceCounter | { uncounted: string } | undefined {
  const name = `${method} ${url}`;
  const known = ANONYMOUS_ROUTES[name];
  if (known) return known;
  const family = Object.keys(ANONYMOUS_ROUTES).find((key) => key.endsWith('*') && name.startsWith(key.slice(0, -1)));
  return family === undefined ? undefined : ANONYMOUS_ROUTES[family];
}

const READS = ['GET', 'HEAD', 'OPTIONS'];
const SUCCESSFUL = [200, 201, 204, 302, 303];
/** Sources that a process remembers; beyond that the longest known one is forgotten. */
const MAX_SOURCES = 50_000;

type Count = { points: number; until: number };

/** What one process has counted. Counts need not be exact across processes: each lets a source do so much. */
class SourceCounts {
  readonly #counts = new Map<string, Count>();

  /** @returns the seconds until the source may go on; 0 when it may now */
  refusedFor(counter: SourceCounter, source: string): number {
    const count = this.#counts.get(`${counter} ${source}`);
    if (!count || count.points < SOURCE_COUNTERS[counter].points) return 0;
    return Math.max(0, (count.until - performance.now()) / 1000);
  }

  add(counter: SourceCounter, source: string, points: number): void {
    const key = `${counter} ${source}`;
    const known = this.#counts.get(key);
    if (known && known.until > performance.now()) {
      known.points = Math.max(0, known.points + points);
      return;
    }
    this.#counts.delete(key);
    const oldest = this.#counts.size >= MAX_SOURCES ? this.#counts.keys().next().value : undefined;
    if (oldest !== undefined) this.#counts.delete(oldest);
    if (points > 0) this.#counts.set(key, { points, until: performance.now() + QUARTER_HOUR_MS });
  }
}

export const sourceCounts = perSystem(() => new SourceCounts());

/** @returns null for a route that is not counted */
function requireDeclared(method: string, url: string): SourceCounter | null {
  const declared = declarationOf(method, url);
  if (!declared && !READS.includes(method))
    throw new Error(`${method} ${url} may be called by anybody and is not in ANONYMOUS_ROUTES.`);
  return typeof declared === 'string' ? declared : null;
}

/** Counts the requests that anybody may send by their source, and refuses to start with a route that is not declared. */
export function addSourceLimits(app: App): void {
  const counters = new Map<string, SourceCounter>();
  app.addHook('onRoute', (route) => {
    const { permission } = route.config ?? {};
    if (permission !== 'public' && permission !== 'optional') return;
    for (const method of [route.method].flat()) {
      const counter = requireDeclared(method, route.url);
      if (counter === null) continue;
      counters.set(`${method} ${route.url}`, counter);
      if (route.schema && !route.schema.hide) route.schema = refusing(route.schema);
    }
  });
  const counterOf = ({ method, routeOptions: { url } }: FastifyRequest) => counters.get(`${method} ${url}`);
  app.addHook('onRequest', (request, _reply, done) => {
    const counter = counterOf(request);
    if (!counter) return done();
    const counts = sourceCounts(app.system);
    const source = sourceOf(request.trace);
    const seconds = counts.refusedFor(counter, source);
    if (seconds > 0) return done(problemWithRetry('RATE_LIMIT_EXCEEDED', seconds));
    const { of } = SOURCE_COUNTERS[counter];
    if (of !== 'refused') counts.add(counter, source, 1);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const counter = counterOf(request);
    if (counter) settle(app, counter, { request, reply });
    done();
  });
}

type Exchange = { request: FastifyRequest; reply: FastifyReply };

/** What a request turns out to be decides whether it counts. */
function settle(app: App, counter: SourceCounter, { request, reply }: Exchange): void {
  const { of } = SOURCE_COUNTERS[counter];
  const source = sourceOf(request.trace);
  if (of === 'refused' && reply.statusCode === 401) sourceCounts(app.system).add(counter, source, 1);
  if (of === 'unsuccessful' && SUCCESSFUL.includes(reply.statusCode)) sourceCounts(app.system).add(counter, source, -1);
}

function refusing(schema: FastifySchema): FastifySchema {
  const { response }: { response?: Parameters<typeof withProblems>[0] } = Object(schema);
  return { ...schema, response: withProblems(response ?? {}, problemResponses('RATE_LIMIT_EXCEEDED')) };
}
