import type { FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseAway } from './db.ts';
import type { App } from './http.ts';
import { problemOf } from './http-errors.ts';
import { problemWithRetry } from './problem.ts';
import type { Route } from './route.ts';
import { sourceOf } from './source.ts';
import { perSystem } from './system.ts';

const QUARTER_HOUR_MS = 15 * 60_000;

type SourceRule = { points: number; counts: string; of: 'all' | 'unsuccessful' | 'refused' };

/**
 * Limits on anonymous requests by source. Each process counts them in memory for 15 minutes, before it reads a body,
 * writes a row or hashes. The numbers are large because many people may share one address; guessing and sending have
 * smaller limits of their own.
 */
export const SOURCE_COUNTERS = {
  begin: { points: 3_000, of: 'all', counts: 'requests that start something and leave a row' },
  proof: { points: 3_000, of: 'unsuccessful', counts: 'requests that request or present a proof' },
  password: { points: 1_000, of: 'all', counts: 'requests that may set a password' },
  client: { points: 1_000, of: 'refused', counts: 'requests of unknown clients and tokens' },
} as const satisfies Record<string, SourceRule>;
export type SourceCounter = keyof typeof SOURCE_COUNTERS;

const SUCCESSFUL = [200, 201, 204, 302, 303];
/** How many sources a process counts; beyond that it drops the oldest. */
const MAX_SOURCES = 50_000;

type Count = { points: number; until: number };

/** The counts of one process. They need not be exact across processes. */
class SourceCounts {
  readonly #counts = new Map<string, Count>();

  /** @returns the seconds until the source may continue; 0 if it may now */
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

/** Counts anonymous requests by source. */
export function addSourceLimits(app: App): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const counter = counterOf(request.route);
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
    const counter = counterOf(request.route);
    if (counter) settle(app, counter, { request, reply });
    done();
  });
}

type Exchange = { request: FastifyRequest; reply: FastifyReply };

/**
 * Decides by the outcome of a request whether it counts. One that failed because the database is away does not: people who
 * share an address and try again meanwhile would be refused after it has come back.
 */
function settle(app: App, counter: SourceCounter, { request, reply }: Exchange): void {
  const { of } = SOURCE_COUNTERS[counter];
  const source = sourceOf(request.trace);
  const failed = isDatabaseAway(problemOf(request.trace)?.cause);
  if (of === 'refused' && reply.statusCode === 401) sourceCounts(app.system).add(counter, source, 1);
  if (of === 'unsuccessful' && SUCCESSFUL.includes(reply.statusCode)) sourceCounts(app.system).add(counter, source, -1);
  if (of !== 'refused' && failed) sourceCounts(app.system).add(counter, source, -1);
}

/** @returns undefined for a route that is not counted */
export function counterOf(route: Route | undefined): SourceCounter | undefined {
  return typeof route?.counted === 'string' ? route.counted : undefined;
}
