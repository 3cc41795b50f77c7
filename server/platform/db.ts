import {
  type ColumnType,
  Kysely,
  type PostgresCursor,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
  RawNode,
  SelectQueryNode,
} from 'kysely';
import pg from 'pg';
import type { Logger } from 'pino';
import { tellSecondConnection } from './held-connections.ts';

/** All tables. Each part declares the rows of the tables it owns by merging into this interface. */
// biome-ignore lint/suspicious/noEmptyInterface: the parts fill it by declaration merging
export interface Tables {}

export type Db = Kysely<Tables>;

/** Outside a transaction the database can only be read. */
export type ReadDb = Pick<Db, 'selectFrom' | 'fn' | 'getExecutor'>;

/** A jsonb column: read as a value, written as JSON text. */
export type Json<T> = ColumnType<T, string, string>;

/** Enough for the statements of the code base; texts beyond it (long `in` lists) run unnamed. */
const MAX_PREPARED = 1000;

// 20: int8, which counts and sequences use; they stay below 2^53.
pg.types.setTypeParser(20, Number);

/**
 * Every statement is served by an index. The planner would read a table whole that was small when last analysed, and keep that plan
 * for a prepared statement, or the check of a foreign key, while the table grows, until it is analysed again. Measured: a thousand
 * checks against a table that had 100 rows then and has 20,000 now take 2,030 ms, and 20 ms with this.
 */
const PLANS = 'set enable_seqscan = off';

/** A machine that is gone is noticed by PostgreSQL within about ten seconds; what its connections held is free from then on. */
const NOTICE_DEATH = 'set tcp_keepalives_idle = 4; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3';

/**
 * Opens the pool. Every statement with parameters is sent as a named prepared statement, so PostgreSQL parses and plans it
 * once per connection; the code's statements are a fixed set, as lists are passed as arrays.
 */
export function openPool(url: string, log: Logger): pg.Pool {
  return prepare(new WorkPool(optionsOf(url, { max: POOL_SIZE, min: 2 })), log);
}

/**
 * A second, small pool for what caches read when they are asked in the middle of a transaction. Its statements run by
 * themselves and wait for no other connection, so a transaction may wait for them.
 */
export function openLookups(url: string, log: Logger): Db {
  return openDb(prepare(new pg.Pool(optionsOf(url, { max: LOOKUP_POOL_SIZE, min: 0 })), log));
}

const POOL_SIZE = 16;
const LOOKUP_POOL_SIZE = 3;

/** The pool of transactions. It notices who asks for a second connection while holding one. */
class WorkPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    tellSecondConnection();
    if (!callback) return super.connect();
    super.connect(callback);
    return undefined;
  }
}

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: Error | boolean) => void,
) => void;

function optionsOf(url: string, { max, min }: { max: number; min: number }): pg.PoolConfig {
  return {
    connectionString: url,
    max,
    min,
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    application_name: 'latchkey',
    onConnect: async (client) => {
      await client.query(`${PLANS}; ${NOTICE_DEATH}`);
    },
  };
}

function prepare(pool: pg.Pool, log: Logger): pg.Pool {
  // Without a listener a lost idle connection would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'lost an idle database connection'));
  pool.on('connect', (client) => {
    client.on('error', (error) => log.warn({ err: error }, 'lost a database connection in use'));
  });
  return pool;
}

/**
 * Connects outside the pool, for what a connection holds for as long as it lives: a lock, a subscription, a sign of life.
 * @param options.answerMs an answer that takes longer is an error: whoever waits for one over a dead network waits for ever
 * @param options.prepare adds listeners before anything can happen; must listen to `error`
 */
export async function connectAlone(
  url: string,
  { name, answerMs, prepare }: { name: string; answerMs: number; prepare: (client: pg.Client) => void },
): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: name,
    keepAlive: true,
    connectionTimeoutMillis: Math.min(answerMs, 5_000),
    query_timeout: answerMs,
  });
  prepare(client);
  try {
    await client.connect();
    await client.query(NOTICE_DEATH);
    return client;
  } catch (error) {
    client.end().catch(() => undefined);
    throw error;
  }
}

/** Observes statements: tests use it to find unscoped queries and to count round trips. */
export type StatementObserver = (sql: string) => void;

const observers = new Set<StatementObserver>();

/** Calls `observer` with the text of every statement of this process. @returns stops observing */
export function observeStatements(observer: StatementObserver): () => void {
  observers.add(observer);
  return () => observers.delete(observer);
}

/** Tells who observes statements of one that is sent. */
export function tellStatement(text: string): void {
  for (const observer of observers) observer(text);
}

export function openDb(pool: pg.Pool): Db {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: preparing(pool) }) });
}

/** The same connections for reading. SQL text that writes is refused, as the types can't tell it from text that reads. */
export function readOnly(db: Db): ReadDb {
  return db.withPlugin({
    transformQuery: ({ node }) => {
      if (RawNode.is(node)) requireReading(node.sqlFragments.join('$'));
      else if (!SelectQueryNode.is(node)) throw new Error(OUTSIDE);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
}

const WRITES = /\b(?:insert\s+into|delete\s+from|merge\s+into|truncate)\b|(?<!\bfor\s+(?:no\s+key\s+)?)\bupdate\s/i;
const OUTSIDE =
  'A write needs a transaction; a single statement that needs none goes through platform/single-writes.ts.';

/** @throws for SQL text that writes */
export function requireReading(text: string): void {
  if (WRITES.test(text)) throw new Error(OUTSIDE);
}

/** A pool as Kysely sees it, whose clients name the statements they are given. */
function preparing(pool: pg.Pool): PostgresPool {
  const names = new Map<string, string>();
  const nameOf = (text: string): string | undefined => {
    const known = names.get(text);
    if (known || names.size >= MAX_PREPARED) return known;
    const name = `s${names.size}`;
    names.set(text, name);
    return name;
  };
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      const client = await pool.connect();
      return new PreparingClient(client, nameOf);
    },
  };
}

/** One checked-out connection. */
class PreparingClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient;
  readonly #nameOf: (text: string) => string | undefined;

  constructor(client: pg.PoolClient, nameOf: (text: string) => string | undefined) {
    this.#client = client;
    this.#nameOf = nameOf;
  }

  query<R>(text: string, values?: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(text: string | PostgresCursor<R>, values: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new Error('Cursors are not used here.');
    tellStatement(text);
    if (values.length === 0) return this.#client.query(text);
    const name = this.#nameOf(text);
    return this.#client.query(name === undefined ? { text, values: [...values] } : { name, text, values: [...values] });
  }

  release(): void {
    this.#client.release();
  }
}

/** PostgreSQL's code of a violated unique constraint. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505' && error.constraint === constraint;
}

const CONNECTION_FAULTS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  '57P01',
  '57P02',
  '57P03',
  '08000',
  '08003',
  '08006',
  '53300',
]);

/** True when the database can't be reached, as opposed to having refused a statement. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string' && CONNECTION_FAULTS.has(error.code)) return true;
  if (error instanceof AggregateError) return error.errors.some(isDatabaseAway);
  return /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable/.test(
    error.message,
  );
}

/** True when a transaction lost against one at the same moment: it violated a unique constraint or was in a deadlock. */
export function isRaceLost(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '23505' || error.code === '40P01');
}

/**
 * True for what the same statement may get past another time: a connection that broke, a server that shuts down or lacks
 * something, or a transaction that lost (PostgreSQL, Appendix A: classes 08, 40, 53, 55, 57 and 58).
 */
export function mayPassLater(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(08|40|53|55|57|58)/.test(error.code ?? '');
  // What the driver says of its connection has no class; everything else that is thrown here is a fault of the code.
  if (!(error instanceof Error)) return false;
  const isOfSocket = 'code' in error && /^E(?!RR_)/.test(String(error.code));
  return isOfSocket || /^(Connection terminated|timeout exceeded|Client has)/i.test(error.message);
}

/** True when another row still refers to what was to be deleted, or a referred one is missing. */
export function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23503';
}

/** True for a statement that lost against a change committed meanwhile, in a transaction that keeps to one snapshot. */
export function isSerializationFailure(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '40001';
}
