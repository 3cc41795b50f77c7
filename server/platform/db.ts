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
  sql,
} from 'kysely';
import pg from 'pg';
import { parameterOf } from './array-parameters.ts';
import type { Measure } from './statements.ts';

/** All tables. Each part declares the rows of the tables it owns by merging into this interface. */
// biome-ignore lint/suspicious/noEmptyInterface: the parts fill it by declaration merging
export interface Tables {}

export type Db = Kysely<Tables>;

/** Outside a transaction the database is read-only. */
export type ReadDb = Pick<Db, 'selectFrom' | 'fn' | 'getExecutor'>;

/** A jsonb column: read as a value, written as JSON text. */
export type Json<T> = ColumnType<T, string, string>;

/**
 * A prepared statement whose columns change fails. So statements that return all columns, such as `select *` and `returning *`,
 * run unnamed: another version may add columns while this one runs. (PostgreSQL's error 0A000 in RevalidateCachedQuery.)
 */
const RETURNS_ALL_COLUMNS = /[\s.,]\*/;

/** The statements of the code base fit in this many names; texts beyond it (long `in` lists) run unnamed. */
const MAX_PREPARED = 1000;

// 20 is int8, the type of counts and sequences; their values stay below 2^53.
pg.types.setTypeParser(20, Number);

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

export function openDb(pool: pg.Pool, measure: Measure): Db {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: preparing(pool, measure) }) });
}

/** One connection, whose owner begins and ends its transaction and may copy rows over it in between. */
export function openDbOver(client: pg.Client): Db {
  const connection: PostgresPoolClient = {
    query: client.query.bind(client),
    release: () => undefined,
  };
  return new Kysely<Tables>({
    dialect: new PostgresDialect({
      pool: { connect: async () => connection, end: async () => undefined, options: {} },
    }),
  });
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
function preparing(pool: pg.Pool, measure: Measure): PostgresPool {
  const names = new Map<string, string>();
  const nameOf = (text: string): string | undefined => {
    const known = names.get(text);
    if (known || names.size >= MAX_PREPARED || RETURNS_ALL_COLUMNS.test(text)) return known;
    const name = `s${names.size}`;
    names.set(text, name);
    return name;
  };
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      const client = await pool.connect();
      return new PreparingClient(client, nameOf, measure);
    },
  };
}

/** A connection checked out of the pool. */
class PreparingClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient;
  readonly #nameOf: (text: string) => string | undefined;
  readonly #measure: Measure;
  /** True if the connection can no longer be used. */
  #spoiled = false;

  constructor(client: pg.PoolClient, nameOf: (text: string) => string | undefined, measure: Measure) {
    this.#client = client;
    this.#nameOf = nameOf;
    this.#measure = measure;
  }

  query<R>(text: string, values?: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(text: string | PostgresCursor<R>, values: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new Error('Cursors are not used here.');
    notifyStatement(text);
    return this.#measure(text, () => this.#send(text, values)).catch((error: unknown) => {
      this.#spoiled ||= spoilsConnection(error);
      throw error;
    });
  }

  #send(text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    if (values.length === 0) return this.#client.query(text);
    const name = this.#nameOf(text);
    const sent = { text, values: values.map(parameterOf) };
    return this.#client.query(name === undefined ? sent : { name, ...sent });
  }

  release(): void {
    this.#client.release(this.#spoiled);
  }
}

/** Citus passes the error of another server on with its message alone, and adds the number of the shard to the constraint. */
const OF_SHARD = /"(?<constraint>[^"]+)_\d+"/;

/** True for a violation of this unique constraint. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  if (!(error instanceof pg.DatabaseError) || error.code !== '23505') return false;
  return (error.constraint ?? OF_SHARD.exec(error.message)?.groups?.['constraint']) === constraint;
}

/**
 * SQL: the time in a column plus an interval. An update on a cluster takes only immutable functions, and the plain sum
 * depends on the time zone of the session.
 */
export function later(column: string, interval: '1 second' | '1 hour') {
  return sql`(${sql.ref(column)} at time zone 'UTC' + ${sql.lit(interval)}::interval) at time zone 'UTC'`;
}

const MAX_ATTEMPTS = 5;

/**
 * Repeats an upsert outside of a transaction that met a new row at another unique index than the one that it names. Only
 * there PostgreSQL reports two inserts at the same moment as a violation, or three as a deadlock; the next time the row
 * is there.
 * @param index that of earlier versions, which know the row without its workspace
 */
export async function repeatedAt<T>(index: string, upsert: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      // biome-ignore lint/performance/noAwaitInLoops: one attempt after the other
      return await upsert();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !(isUniqueViolation(error, index) || isDeadlock(error))) throw error;
    }
  }
}

/** The server accepts no writes: it is a standby, or was set to read-only. */
export class ReadOnlyServerError extends Error {
  override readonly name = 'ReadOnlyServerError';
  readonly code = READ_ONLY;

  constructor() {
    super('The database server is read-only.');
  }
}

const READ_ONLY = '25006';
const NO_RESPONSE = 'Query read timeout';

/**
 * The error codes of a database that can't be used now. The statement itself may be correct.
 * - Network: connection errors of Node.js, and PostgreSQL's class 08.
 * - Server: no resources left, such as disk or connections (class 53), stopping or starting (57P01 to 57P03), read-only
 *   (25006).
 * - Time limits: of a statement (57014), a lock (55P03), a transaction (25P03, 25P04), a silent session (57P05).
 *
 * Codes: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const AWAY =
  /^(?:08...|53...|57P0[1235]|57014|55P03|25P0[34]|25006|ECONNREFUSED|ECONNRESET|ECONNABORTED|ENOTCONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;

/** How Citus says that it lost another server while a transaction ended there. The errors have the code XX000. */
const LOST_SERVER = /^(?:could not commit transaction for shard \d+ on|failure on connection marked as essential)/;

/** True if the database can't be used now: the same statement may succeed a moment later. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string' && AWAY.test(error.code)) return true;
  if (error instanceof AggregateError) return error.errors.some(isDatabaseAway);
  if (LOST_SERVER.test(error.message)) return true;
  return /Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|not queryable/.test(
    error.message,
  );
}

/**
 * True if the connection must not be used again: a statement on it may still be running, or its server has become
 * read-only.
 */
function spoilsConnection(error: unknown): boolean {
  return error instanceof Error && (error.message === NO_RESPONSE || ('code' in error && error.code === READ_ONLY));
}

/** True if the database responds in time and accepts writes. */
export async function acceptsWrites(db: ReadDb, timeoutMs: number): Promise<boolean> {
  const timeout = new Promise<false>((resolve) => {
    setTimeout(() => resolve(false), timeoutMs).unref();
  });
  const setting = sql<{ value: string }>`select current_setting('transaction_read_only') as value`.execute(db);
  const response = setting.then(
    ({ rows }) => rows[0]?.value === 'off',
    () => false,
  );
  return Promise.race([response, timeout]);
}

/** True if a transaction was ended because it and a concurrent one waited for each other. */
export function isDeadlock(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '40P01';
}

/** True if a lock was not granted within `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03';
}

/** True if a transaction lost against a concurrent one: a unique constraint or a deadlock. */
export function isRaceLost(error: unknown): boolean {
  return isDeadlock(error) || (error instanceof pg.DatabaseError && error.code === '23505');
}

/** True if the same statement may succeed later: the database is away, or the transaction lost a conflict (class 40). */
export function mayPassLater(error: unknown): boolean {
  return isDatabaseAway(error) || (error instanceof pg.DatabaseError && /^(?:40|55|57|58)/.test(error.code ?? ''));
}

/** True if another row still refers to the deleted row, or if a referenced row is missing. */
export function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23503';
}

/** True if a repeatable-read transaction lost against a change that was committed in the meantime. */
export function isSerializationFailure(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '40001';
}
