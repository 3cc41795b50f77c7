import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { RateLimiterPostgres, RateLimiterRes, RateLimiterValkey } from 'rate-limiter-flexible';
import type { Ctx, Trace } from './ctx.ts';
import { preparedWrite, singleWrite } from './single-writes.ts';

import { connectionsOf, perSystem, type System } from './system.ts';

/** `points` calls in `seconds`. */
type Rule = { name: string; points: number; seconds: number };

/** The result of a limit. `count`: how many calls the period has had, including this one. */
type Taken = { allowed: boolean; count: number; retryAfter: number };

/** A limit that holds across processes and concurrent calls: every call is counted before it is decided. */
export class Limit {
  readonly points: number;
  readonly #rule: Rule;
  readonly #limiter: RateLimiterPostgres | RateLimiterValkey;

  constructor(system: System, rule: Rule) {
    const { name, points, seconds } = rule;
    const { pool, valkey } = connectionsOf(system);
    this.points = points;
    this.#rule = rule;
    const postgres = new RateLimiterPostgres({
      storeClient: pool,
      storeType: 'pool',
      tableName: 'rate_limits',
      tableCreated: true,
      clearExpiredByTimeout: false,
      keyPrefix: name,
      points,
      duration: seconds,
    });
    this.#limiter =
      valkey === null
        ? postgres
        : new RateLimiterValkey({
            storeClient: valkey,
            keyPrefix: name,
            points,
            duration: seconds,
            // Valkey is an accelerator; PostgreSQL counts if it is down.
            insuranceLimiter: postgres,
          });
  }

  /**
   * Counts one call of `key`, also if it is refused.
   * @param ctx never that of a transaction: counting takes a connection of its own, and persists after a rollback
   * @param options `told`: the response to the request includes the remaining calls
   * @returns `retryAfter`: the seconds until the period ends
   */
  async take({ trace }: Ctx, key: string, { told = false } = {}): Promise<Taken> {
    try {
      const result = await this.#limiter.consume(key);
      if (told) note(trace, this.#rule, result);
      return { allowed: true, count: result.consumedPoints, retryAfter: result.msBeforeNext / 1000 };
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      if (told) note(trace, this.#rule, refused);
      return { allowed: false, count: refused.consumedPoints, retryAfter: refused.msBeforeNext / 1000 };
    }
  }

  /** The row or entry that holds the count of a key. */
  entryOf(key: string): string {
    return this.#limiter.getKey(key);
  }

  /** Uncounts one call. */
  async giveBack(key: string): Promise<void> {
    await this.#limiter.reward(key);
  }

  async forget(key: string): Promise<void> {
    await this.#limiter.delete(key);
  }
}

/** The state of one limit for a request: the remaining calls, and the seconds until it resets. */
type LimitState = Rule & { remaining: number; resetSeconds: number };

const states = new WeakMap<Trace, LimitState[]>();

function note(trace: Trace, rule: Rule, { remainingPoints, msBeforeNext }: RateLimiterRes): void {
  const state = { ...rule, remaining: Math.max(0, remainingPoints), resetSeconds: Math.ceil(msBeforeNext / 1000) };
  states.set(trace, [...(states.get(trace) ?? []), state]);
}

/** The limits that counted a request, for the headers of its response. */
export function limitsOf(trace: Trace): readonly LimitState[] {
  return states.get(trace) ?? [];
}

type Counted = readonly [limit: Limit, key: string];

/** Resets the counts of some keys and uncounts one call of others, in one statement if PostgreSQL counts. */
export async function settle(
  { system }: Ctx,
  { forget, giveBack }: { forget: readonly Counted[]; giveBack: readonly Counted[] },
): Promise<void> {
  if (connectionsOf(system).valkey !== null) {
    await Promise.all([
      ...forget.map(([limit, key]) => limit.forget(key)),
      ...giveBack.map(([limit, key]) => limit.giveBack(key)),
    ]);
    return;
  }
  const entries = (counted: readonly Counted[]) => counted.map(([limit, key]) => limit.entryOf(key));
  await settleCounts(system, [entries(forget), entries(giveBack)]);
}

const settleCounts = preparedWrite(
  'settle-limits',
  'clean-up',
  `with forgotten as (delete from rate_limits where key = any($1))
   update rate_limits set points = points - 1 where key = any($2)`,
);

/** Declares limits once; each process creates them at first use. */
export function limits<Name extends string>(
  rules: Record<Name, Omit<Rule, 'name'>>,
): (system: System) => Record<Name, Limit> {
  return perSystem((system) => {
    const instances = Object.entries<Omit<Rule, 'name'>>(rules).map(([name, rule]) => [
      name,
      new Limit(system, { ...rule, name }),
    ]);
    return Object.fromEntries(instances);
  });
}

/**
 * Deletes the counts of past periods; sources that call only once would otherwise stay forever. Uses the clock of the
 * limits.
 */
export async function deleteOldLimits(system: System): Promise<void> {
  await sql`delete from rate_limits where expire < ${Date.now()}`.execute(singleWrite(system, 'clean-up'));
}

/** A hashed key, so that limits store no personal data. */
export function limitKey(...parts: string[]): string {
  return hash('sha256', parts.join('\n'), 'base64url');
}
