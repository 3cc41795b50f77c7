import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { RateLimiterPostgres, RateLimiterRes, RateLimiterValkey } from 'rate-limiter-flexible';
import type { Ctx, Trace } from './ctx.ts';
import { preparedWrite, singleWrite } from './single-writes.ts';

import { connectionsOf, perSystem, type System } from './system.ts';

/** So many times in so many seconds. */
type Rule = { name: string; points: number; seconds: number };

/** What a limit said: `count` is how often it was asked in the period, this time included. */
type Taken = { allowed: boolean; count: number; retryAfter: number };

/** A limit that holds across processes and under parallel calls: every call is counted before it is answered. */
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
            // Valkey is an accelerator: without it PostgreSQL counts.
            insuranceLimiter: postgres,
          });
  }

  /**
   * Counts one call of `key`, also a refused one. @returns in `retryAfter` the seconds until the count begins anew
   * @param ctx never that of a transaction: counting takes a connection of its own, and is kept when the transaction is not
   * @param options.told the answer to the request tells how much is left
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

  /** The row or entry that counts a key. */
  entryOf(key: string): string {
    return this.#limiter.getKey(key);
  }

  /** Takes one counted call back. */
  async giveBack(key: string): Promise<void> {
    await this.#limiter.reward(key);
  }

  async forget(key: string): Promise<void> {
    await this.#limiter.delete(key);
  }
}

/** Where a request stands with one limit: so many more in so many seconds. */
type Standing = Rule & { remaining: number; resetSeconds: number };

const standings = new WeakMap<Trace, Standing[]>();

function note(trace: Trace, rule: Rule, { remainingPoints, msBeforeNext }: RateLimiterRes): void {
  const standing = { ...rule, remaining: Math.max(0, remainingPoints), resetSeconds: Math.ceil(msBeforeNext / 1000) };
  standings.set(trace, [...(standings.get(trace) ?? []), standing]);
}

/** The limits that counted a request, for its answer. */
export function limitsOf(trace: Trace): readonly Standing[] {
  return standings.get(trace) ?? [];
}

type Counted = readonly [limit: Limit, key: string];

/** Forgets what some keys counted, and takes one call of others back: in one statement where PostgreSQL counts. */
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

/** Declares limits once; each process makes them at first use. */
export function limits<Name extends string>(
  rules: Record<Name, Omit<Rule, 'name'>>,
): (system: System) => Record<Name, Limit> {
  return perSystem((system) => {
    const made = Object.entries<Omit<Rule, 'name'>>(rules).map(([name, rule]) => [
      name,
      new Limit(system, { ...rule, name }),
    ]);
    return Object.fromEntries(made);
  });
}

/** Forgets what was counted in periods that are over: a source that asks once would be remembered for ever. By the clock of the limits. */
export async function forgetOldLimits(system: System): Promise<void> {
  await sql`delete from rate_limits where expire < ${Date.now()}`.execute(singleWrite(system, 'clean-up'));
}

/** A key that holds no personal data. */
export function limitKey(...parts: string[]): string {
  return hash('sha256', parts.join('\n'), 'base64url');
}
