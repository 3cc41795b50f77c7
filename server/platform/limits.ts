import { hash } from 'node:crypto';
import { createRequire } from 'node:module';
import { sql } from 'kysely';
import type { RateLimiterPostgres, RateLimiterValkey } from 'rate-limiter-flexible';
import type { Ctx, Trace } from './ctx.ts';
import { repeatedAt } from './db.ts';
import type { WorkspaceId } from './ids.ts';
import type { Prepared } from './prepared.ts';
import { rowsOfWorkspace } from './removal.ts';
import { preparedWrite, singleWrite } from './single-writes.ts';
import { connectionsOf, perSystem, type System } from './system.ts';

const require = createRequire(import.meta.url);

/** Loaded where Valkey is configured: without it one statement counts. */
const limiterLibrary = (): typeof import('rate-limiter-flexible') => require('rate-limiter-flexible');

/** `points` calls in `seconds`. */
type Rule = { name: string; points: number; seconds: number };

/** The result of a limit. `count`: how many calls the period has had, including this one. */
export type Taken = { allowed: boolean; count: number; retryAfter: number };

type CountRow = { points: number; expire: number };

declare module './db.ts' {
  interface Tables {
    rate_limits: CountRow & { workspace_id: WorkspaceId; key: string };
  }
}

/** What was counted in a workspace. */
export const countsOfWorkspace = rowsOfWorkspace('rate_limits');

/** The unique index on the key alone. */
const OF_EARLIER_VERSIONS = 'rate_limits_once';

type Counting = Prepared<CountRow>;

const countCall: Counting = preparedWrite(
  'count-call',
  'count',
  `insert into rate_limits as known (workspace_id, key, points, expire) values ($1, $2, $3, $4)
   on conflict (workspace_id, key) do update set
     points = case when known.expire <= $5 then excluded.points else known.points + excluded.points end,
     expire = case when known.expire <= $5 then excluded.expire else known.expire end
   returning points, expire`,
);

const removeCounts = preparedWrite(
  'remove-counts',
  'count',
  'delete from rate_limits where workspace_id = $1 and key = any($2)',
);

/**
 * The library's limiter with statements that name the workspace. A count is on the server that has the workspace, and
 * counting for one workspace does not wait for another.
 */
function postgresLimiter(system: System, { name, points, seconds }: Rule): RateLimiterPostgres {
  class PostgresLimiter extends limiterLibrary().RateLimiterPostgres {
    /** Called by the library for `consume` and `reward`. */
    _upsert(entry: string, taken: number, msDuration: number) {
      const now = Date.now();
      const values = [workspaceOf(entry), entry, taken, now + msDuration, now];
      return repeatedAt(OF_EARLIER_VERSIONS, () => countCall(system, values));
    }

    /** Called by the library for `delete`. */
    async _delete(entry: string): Promise<boolean> {
      const { rowCount } = await removeCounts(system, [workspaceOf(entry), [entry]]);
      return rowCount !== null && rowCount > 0;
    }
  }
  return new PostgresLimiter({
    storeClient: connectionsOf(system).pool,
    storeType: 'pool',
    tableName: 'rate_limits',
    tableCreated: true,
    clearExpiredByTimeout: false,
    keyPrefix: name,
    points,
    duration: seconds,
  });
}

/** Entries are made by {@link placed}, and the library puts the name of the limit before them. */
function workspaceOf(entry: string): string {
  return /:(?<workspaceId>\w*) /.exec(entry)?.groups?.['workspaceId'] ?? '';
}

/** A key within the workspace of the context. */
function placed({ scope }: Pick<Ctx, 'scope'>, key: string): string {
  return `${scope.workspaceId} ${key}`;
}

/** A limit that holds across processes and concurrent calls: every call is counted before it is decided. */
export class Limit {
  readonly points: number;
  readonly rule: Rule;
  /** Counts in Valkey, if it is configured. PostgreSQL counts while Valkey is down. */
  readonly #valkey: RateLimiterValkey | null;

  constructor(system: System, rule: Rule) {
    const { name: keyPrefix, points, seconds: duration } = rule;
    const { valkey } = connectionsOf(system);
    this.points = points;
    this.rule = rule;
    const counting = { keyPrefix, points, duration };
    this.#valkey =
      valkey &&
      new (limiterLibrary().RateLimiterValkey)({
        ...counting,
        storeClient: valkey,
        insuranceLimiter: postgresLimiter(system, rule),
      });
  }

  /**
   * Counts one call of `key` in the workspace of the context, also if it is refused.
   * @param ctx never that of a transaction: counting takes a connection of its own, and persists after a rollback
   * @param options `told`: the response to the request includes the remaining calls
   * @returns `retryAfter`: the seconds until the period ends
   */
  async take(ctx: Ctx, key: string, { told = false } = {}): Promise<Taken> {
    const [taken] = await takeInOrder(ctx, [{ limit: this, key, told }]);
    if (!taken) throw new Error('unreachable: the first key is always counted');
    return taken;
  }

  /** The row or entry that holds the count of a key. */
  entryOf(ctx: Pick<Ctx, 'scope'>, key: string): string {
    return `${this.rule.name}:${placed(ctx, key)}`;
  }

  /** Counts in Valkey; null if it is not configured. */
  async takeInValkey(ctx: Pick<Ctx, 'scope'>, key: string): Promise<Count | null> {
    if (!this.#valkey) return null;
    const found = await this.#valkey.consume(placed(ctx, key)).catch((refused: unknown) => {
      if (refused instanceof limiterLibrary().RateLimiterRes) return refused;
      throw refused;
    });
    return { count: found.consumedPoints, msBeforeNext: found.msBeforeNext };
  }

  /** The present count of a key, and when it ends; null without one. */
  async read(ctx: Pick<Ctx, 'scope'>, key: string): Promise<{ count: number; until: Date } | null> {
    const result = (await this.#valkey?.get(placed(ctx, key))) ?? null;
    return result && { count: result.consumedPoints, until: new Date(Date.now() + result.msBeforeNext) };
  }

  /** Uncounts one call. */
  async giveBack(ctx: Pick<Ctx, 'scope'>, key: string): Promise<void> {
    await this.#valkey?.reward(placed(ctx, key));
  }

  async forget(ctx: Pick<Ctx, 'scope'>, key: string): Promise<void> {
    await this.#valkey?.delete(placed(ctx, key));
  }
}

type Count = { count: number; msBeforeNext: number };

/** A limit and the key to count. `told`: the response to the request includes the remaining calls. */
export type Counter = { limit: Limit; key: string; told?: boolean };

/**
 * Counts one call of each key, in one statement if PostgreSQL counts. The first that is refused ends it: later keys are
 * not counted.
 * @returns one result for each key that was counted, in this order
 */
export async function takeInOrder(ctx: Ctx, counters: readonly Counter[]): Promise<Taken[]> {
  await settled(ctx, counters);
  const counts =
    connectionsOf(ctx.system).valkey === null ? await countInOrder(ctx, counters) : await countInValkey(ctx, counters);
  return counts.flatMap(({ count, msBeforeNext }, index) => {
    const counter = counters[index];
    if (!counter) return [];
    const { limit, told } = counter;
    if (told) note(ctx.trace, limit.rule, { count, msBeforeNext });
    return [{ allowed: count <= limit.points, count, retryAfter: msBeforeNext / 1000 }];
  });
}

async function countInValkey(ctx: Ctx, counters: readonly Counter[]): Promise<Count[]> {
  const counts: Count[] = [];
  for (const { limit, key } of counters) {
    // biome-ignore lint/performance/noAwaitInLoops: what one limit refuses must not count for the next
    const count = await limit.takeInValkey(ctx, key);
    if (count) counts.push(count);
    if (!count || count.count > limit.points) break;
  }
  return counts;
}

/**
 * A crash of the database may lose the counts of its last moment, so that counting need not wait for the disk. Applies
 * to the transaction of the one statement that has it.
 */
const WITHOUT_WAITING = `unhurried as materialized (select set_config('synchronous_commit', 'off', true))`;

/**
 * Served by the primary key. Each key is counted only if the one before was within its limit. Locks rows in the order of
 * the keys, as `settleCounts` does.
 */
function textFor(keys: number): string {
  const steps = Array.from({ length: keys }, (_, index) => {
    const [key, seconds] = [3 * index + 3, 3 * index + 4];
    const before = index === 0 ? 'unhurried' : `taken${index} where points <= $${3 * index + 2}`;
    return `taken${index + 1} as (
      insert into rate_limits as r (workspace_id, key, points, expire) select $2::text, $${key}::text, 1, $1::bigint + $${seconds}::bigint * 1000 from ${before}
      on conflict (workspace_id, key) do update set
        points = case when r.expire <= $1::bigint then 1 else r.points + 1 end,
        expire = case when r.expire <= $1::bigint then excluded.expire else r.expire end
      returning points, expire)`;
  });
  const results = steps.map((_, index) => `select ${index} as place, points, expire from taken${index + 1}`);
  return `with ${WITHOUT_WAITING}, ${steps.join(', ')} ${results.join(' union all ')} order by place`;
}

/** {@link textFor}, with the same parameters, where the installation is divided. */
function dividedTextFor(keys: number): string {
  const list = (first: number, type: string) =>
    Array.from({ length: keys }, (_, index) => 3 * index + first)
      .filter((place) => place < 3 * keys + 2)
      .map((place) => `$${place}::${type}`)
      .join(', ');
  return `select place, points, expire from count_in_order($2::text, $1::bigint, array[${list(3, 'text')}],
    array[${list(4, 'integer')}], array[${list(5, 'integer')}]::integer[])`;
}

const statements = new Map<number, Prepared<CountRow>>();

async function countInOrder(ctx: Ctx, counters: readonly Counter[]): Promise<Count[]> {
  const size = counters.length;
  const text = () => ({ text: textFor(size), divided: dividedTextFor(size) });
  const count = statements.get(size) ?? preparedWrite<CountRow>(`count-limits-${size}`, 'count', text());
  statements.set(size, count);
  const now = Date.now();
  const values = counters.flatMap(({ limit, key }) => [limit.entryOf(ctx, key), limit.rule.seconds, limit.points]);
  // Nothing follows the last key, so its limit is not part of the statement.
  const counted = [now, ctx.scope.workspaceId, ...values.slice(0, -1)];
  const { rows } = await repeatedAt(OF_EARLIER_VERSIONS, () => count(ctx.system, counted));
  return rows.map(({ points, expire }) => ({ count: points, msBeforeNext: Math.max(0, Number(expire) - now) }));
}

/** The state of one limit for a request: the remaining calls, and the seconds until it resets. */
type LimitState = Rule & { remaining: number; resetSeconds: number };

const states = new WeakMap<Trace, LimitState[]>();

function note(trace: Trace, rule: Rule, { count, msBeforeNext }: Count): void {
  const remaining = Math.max(0, rule.points - count);
  const state = { ...rule, remaining, resetSeconds: Math.ceil(msBeforeNext / 1000) };
  states.set(trace, [...(states.get(trace) ?? []), state]);
}

/** The limits that counted a request, for the headers of its response. */
export function limitsOf(trace: Trace): readonly LimitState[] {
  return states.get(trace) ?? [];
}

type Counted = readonly [limit: Limit, key: string];

/** The present counts of some keys, in their order; null for a key without any. */
export async function countsOf(
  ctx: Pick<Ctx, 'system' | 'scope'>,
  counted: readonly Counted[],
): Promise<({ count: number; until: Date } | null)[]> {
  const { valkey, db } = connectionsOf(ctx.system);
  if (valkey !== null) return Promise.all(counted.map(([limit, key]) => limit.read(ctx, key)));
  const entries = counted.map(([limit, key]) => limit.entryOf(ctx, key));
  const { rows } = await sql<{ key: string; count: number; expire: string }>`
    select key, points as count, expire from rate_limits
    where workspace_id = ${ctx.scope.workspaceId} and key = any(${entries})`.execute(db);
  const found = new Map(rows.map(({ key, count, expire }) => [key, { count, until: new Date(Number(expire)) }]));
  return entries.map((entry) => found.get(entry) ?? null);
}

/** Resets the counts of some keys and uncounts one call of others, in one statement if PostgreSQL counts. */
export async function settle(
  ctx: Ctx,
  { forget, giveBack }: { forget: readonly Counted[]; giveBack: readonly Counted[] },
): Promise<void> {
  const { system, scope } = ctx;
  if (connectionsOf(system).valkey !== null) {
    await Promise.all([
      ...forget.map(([limit, key]) => limit.forget(ctx, key)),
      ...giveBack.map(([limit, key]) => limit.giveBack(ctx, key)),
    ]);
    return;
  }
  const entries = (counted: readonly Counted[]) => counted.map(([limit, key]) => limit.entryOf(ctx, key));
  await settleCounts(system, [scope.workspaceId, entries(forget), entries(giveBack)]);
}

/** The resets in progress in this process, by entry. */
const settling = perSystem(() => new Map<string, Promise<void>>());

/**
 * {@link settle}, without waiting for it. Later counts of the same keys in this process wait. If the process crashes, the
 * counts may stay as they were.
 */
export function settleSoon(ctx: Ctx, what: Parameters<typeof settle>[1]): void {
  const { system } = ctx;
  const known = settling(system);
  const entries = what.forget.map(([limit, key]) => limit.entryOf(ctx, key));
  const work: Promise<void> = settle(ctx, what)
    .catch((error: unknown) => system.log.warn({ err: error }, 'counts of a success were not reset'))
    .finally(() => {
      for (const entry of entries) if (known.get(entry) === work) known.delete(entry);
    });
  for (const entry of entries) known.set(entry, work);
}

async function settled(ctx: Ctx, counters: readonly Counter[]): Promise<void> {
  const known = settling(ctx.system);
  if (known.size > 0) await Promise.all(counters.map(({ limit, key }) => known.get(limit.entryOf(ctx, key))));
}

/** Locks rows in the order of the keys: first those that are given back, as counting does. */
const settleCounts = preparedWrite('settle-limits', 'clean-up', {
  text: `with ${WITHOUT_WAITING}, returned as (
     update rate_limits set points = points - 1
     where workspace_id = $1 and key = any($3) and exists (select from unhurried) returning key
   ), locked as (
     select key from rate_limits where workspace_id = $1 and key = any($2) and (select count(*) from returned) >= 0
     order by array_position($2, key) for update
   )
   delete from rate_limits where workspace_id = $1 and key in (select key from locked)`,
  divided: 'select from settle_counts($1, $2::text[], $3::text[])',
});

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
  await sql`delete from rate_limits where expire < ${Date.now()} /* all workspaces */`.execute(
    singleWrite(system, 'clean-up'),
  );
}

/** A hashed key, so that limits store no personal data. */
export function limitKey(...parts: string[]): string {
  return hash('sha256', parts.join('\n'), 'base64url');
}
