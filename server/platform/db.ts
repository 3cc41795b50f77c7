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
import { reportSecondConnection } from './held-connections.ts';

/** All tables. Each part declares the rows of the tables it owns by merging into this interface. */
// biome-ignore lint/suspicious/noEmptyInterface: the parts fill it by declaration merging
export interface Tables {}

export type Db = Kysely<Tables>;

/** Outside a transaction the database is read-only. */
export type ReadDb = Pick<Db, 'selectFrom' | 'fn' | 'getExecutor'>;

/** A jsonb column: read as a value, written as JSON text. */
export type Json<T> = ColumnType<T, string, string>;

/** The statements of the code base fit in this many names; texts beyond it (long `in` lists) run unnamed. */
const MAX_PREPARED = 1000;

// 20 is int8, the type of counts and sequences; their values stay below 2^53.
pg.types.setTypeParser(20, Number);

/**
 * Forces index scans; every statement has an index. Without this, the planner chooses a sequential scan for a table
 * that was small when last analysed, and prepared statements and foreign key checks keep that plan while the table
 * grows. Measured with a table that grew from 100 to 20,000 rows: a thousand checks take 2,030 ms without this and 20
 * ms with it.
 */
const FORCE_INDEX_SCANS = 'set enable_seqscan = off';

/** PostgreSQL detects a dead client within about ten seconds and releases what its connections held. */
const DETECT_DEAD_CLIENTS =
  'set tcp_keepalives_idle = 4; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3';

/**
 * Opens the pool. Statements with parameters are sent as named prepared statements, so PostgreSQL parses and plans each
 * once per connection. Their number is bounded, because lists are passed as arrays.
 */
export function openPool(url: string, log: Logger): pg.Pool {
  return prepare(new WorkPool(optionsOf(url, { max: POOL_SIZE, min: 2 })), log);
}

/**
 * A second, small pool for cache reads that happen inside a transaction. Its statements wait for no other connection,
 * so a transaction may wait for them.
 */
export function openLookups(url: string, log: Logger): Db {
  return openDb(prepare(new pg.Pool(optionsOf(url, { max: LOOKUP_POOL_SIZE, min: 0 })), log));
}

const POOL_SIZE = 16;
const LOOKUP_POOL_SIZE = 3;

/** The pool of transactions. It reports code that asks for a second connection while it holds one. */
class WorkPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    reportSecondConnection();
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
      await client.query(`${FORCE_INDEX_SCANS}; ${DETECT_DEAD_CLIENTS}`);
    },
  };
}

function prepare(pool: pg.Pool, log: Logger): pg.Pool {
  // Without a listener, losing an idle connection would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'lost an idle database connection'));
  pool.on('connect', (client) => {
    client.on('error', (error) => log.warn({ err: error }, 'lost a database connection in use'));
  });
  return pool;
}

/**
 * Opens a connection outside the pool, for state that lives as long as the connection: a lock, a subscription, a
 * liveness sign.
 * @param options.timeoutMs the timeout of a response; without it, a query over a dead network would wait forever
 * @param options.prepare adds listeners before anything can happen; must listen to `error`
 */
export async function connectAlone(
  url: string,
  { name, timeoutMs, prepare }: { name: string; timeoutMs: number; prepare: (client: pg.Client) => void },
): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: name,
    keepAlive: true,
    connectionTimeoutMillis: Math.min(timeoutMs, 5_000),
    query_timeout: timeoutMs,
  });
  prepare(client);
  try {
    await client.connect();
    await client.query(DETECT_DEAD_CLIENTS);
    return client;
  } catch (error) {
    client.end().catch(() => undefined);
    throw error;
  }
}

/** Observes statements. Tests use it to find unscoped queries and to count round trips. */
export type StatementObserver = (sql: string) => void;

const observers = new Set<StatementObserver>();

/**
 * Calls `observer` with the text of every statement of this process.
 * @returns stops observing
 */
export function observeStatements(observer: StatementObserver): () => void {
  observers.add(observer);
  return () => observers.delete(observer);
}

/** Notifies the observers of a statement. */
export function notifyStatement(text: string): void {
  for (const observer of observers) observer(text);
}

export function openDb(pool: pg.Pool): Db {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: preparing(pool) }) });
}

/** The same connections, read-only. SQL text is checked at run time, because the types can't tell reads from writes. */
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

/** @throws Error for SQL text that writes */
export function requireReading(text: string): void {
  if (WRITES.test(text)) throw new Error(OUTSIDE);
}

/** A pool for Kysely whose clients name the statements they run. */
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

/** A connection checked out of the pool. */
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
    notifyStatement(text);
    if (values.length === 0) return this.#client.query(text);
    const name = this.#nameOf(text);
    return this.#client.query(name === undefined ? { text, values: [...values] } : { name, text, values: [...values] });
  }

  release(): void {
    this.#client.release();
  }
}

/** True for a violation of this unique constraint. */
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

/** True if the database can't be reached, as opposed to refusing a statement. */
export function isDatabaseUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string' && CONNECTION_FAULTS.has(error.code)) return true;
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnreachable);
  return /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable/.test(
    error.message,
  );
}

/** True if a transaction lost against a concurrent one: a unique constraint or a deadlock. */
export function isRaceLost(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '23505' || error.code === '40P01');
}

/**
 * True if the same statement may succeed later: a broken connection, a server that shuts down or lacks resources, or a
 * transaction that lost a conflict (PostgreSQL, Appendix A: classes 08, 40, 53, 55, 57 and 58).
 */
export function mayPassLater(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(08|40|53|55|57|58)/.test(error.code ?? '');
  // Connection errors of the driver have no class. Any other value thrown here is a programming error.
  if (!(error instanceof Error)) return false;
  const isOfSocket = 'code' in error && /^E(?!RR_)/.test(String(error.code));
  return isOfSocket || /^(Connection terminated|timeout exceeded|Client has)/i.test(error.message);
}

/** True if another row still refers to the deleted row, or if a referenced row is missing. */
export function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23503';
}

/** True if a repeatable-read transaction lost against a change that was committed in the meantime. */
export function isSerializationFailure(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '40001';
}
