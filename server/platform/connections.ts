import pg from 'pg';
import type { Logger } from 'pino';
import { serversOf } from './database-url.ts';
import { ReadOnlyServerError } from './db.ts';
import { reportSecondConnection } from './held-connections.ts';

/**
 * Forces index scans; every statement has an index. Without this, the planner chooses a sequential scan for a table
 * that was small when last analysed, and prepared statements and foreign key checks keep that plan while the table
 * grows. Measured with a table that grew from 100 to 20,000 rows: a thousand checks take 2,030 ms without this and 20
 * ms with it.
 */
const FORCE_INDEX_SCANS = 'set enable_seqscan = off';

/**
 * Compiles no statement. Until PostgreSQL 17, a scan that {@link FORCE_INDEX_SCANS} could not avoid looks expensive enough to
 * be compiled, which takes longer than any statement here.
 */
const NO_COMPILATION = 'set jit = off';

/** PostgreSQL detects a dead client within about ten seconds and releases what its connections held. */
const DETECT_DEAD_CLIENTS =
  'set tcp_keepalives_idle = 4; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3';

/** Connections that write have this `application_name`; a process that serves appends its tag. */
export const POOL_NAME = 'latchkey';

const CONNECT_MS = 5_000;
/** How much later than the server this process gives up a statement, in case the server does not respond at all. */
const SERVER_LEAD_MS = 2_000;
const LOOKUP_POOL_SIZE = 3;
const PROOF_POOL_SIZE = 1;

/** How long a statement may run and wait for a lock; null: without limit, for commands that a person waits for. */
export type TimeLimits = { statementMs: number; lockMs: number } | null;

/**
 * Opens the pool. Statements with parameters are sent as named prepared statements, so PostgreSQL parses and plans each
 * once per connection. Their number is bounded, because lists are passed as arrays.
 */
export function openPool(
  url: string,
  { size, limits, log, instance }: { size: number; limits: TimeLimits; log: Logger; instance: string | null },
): pg.Pool {
  const name = instance === null ? POOL_NAME : `${POOL_NAME} ${instance}`;
  return prepare(new WorkPool(url, { ...optionsOf(limits), application_name: name, max: size, min: 2 }), log);
}

/**
 * A second, small pool for cache reads that happen inside a transaction. Its statements wait for no other connection,
 * so a transaction may wait for them.
 */
export function openLookups(url: string, { limits, log }: { limits: TimeLimits; log: Logger }): pg.Pool {
  return prepare(new ServerPool(url, { ...optionsOf(limits), max: LOOKUP_POOL_SIZE }), log);
}

/** Opens a pool of one connection, by which a process checks the database while requests use all the others. */
export function openProofs(url: string, { limits, log }: { limits: TimeLimits; log: Logger }): pg.Pool {
  return prepare(new ServerPool(url, { ...optionsOf(limits), max: PROOF_POOL_SIZE }), log);
}

/** The maximum number of connections of the three pools. */
export function poolConnections(size: number): number {
  return size + LOOKUP_POOL_SIZE + PROOF_POOL_SIZE;
}

/** The server of an address that last accepted writes. */
const writable = new Map<string, string>();

/** The server of an address to which a connection was made last. */
export function lastWritable(url: string): string {
  return writable.get(url) ?? url;
}

/** The servers of an address, the one that last accepted writes first. */
function inOrder(url: string): string[] {
  const servers = serversOf(url);
  const first = writable.get(url);
  return first === undefined ? servers : [first, ...servers.filter((server) => server !== first)];
}

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: Error | boolean) => void,
) => void;

/** A pool of connections to the one server of an address that accepts writes. */
class ServerPool extends pg.Pool {
  readonly #url: string;
  readonly #servers: readonly string[];

  constructor(url: string, options: pg.PoolConfig) {
    super({ ...options, connectionString: inOrder(url)[0] });
    this.#url = url;
    this.#servers = serversOf(url);
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    const connecting = this.#connect(this.#servers.length - 1);
    if (!callback) return connecting;
    connecting.then(
      (client) => callback(undefined, client, (release) => client.release(release)),
      (error: unknown) =>
        callback(error instanceof Error ? error : new Error(String(error)), undefined, () => undefined),
    );
    return undefined;
  }

  /** @param others how many other servers may be tried */
  async #connect(others: number): Promise<pg.PoolClient> {
    const { connectionString = this.#url } = this.options;
    try {
      const client = await super.connect();
      writable.set(this.#url, connectionString);
      return client;
    } catch (error) {
      // All connections are in use, and another server would not have more.
      const isFull = error instanceof Error && error.message.startsWith('timeout exceeded when trying to connect');
      if (others === 0 || isFull) throw error;
      this.#leave(connectionString);
      return this.#connect(others - 1);
    }
  }

  /** Connects to the next server from now on, unless a concurrent failure has led there already. */
  #leave(server: string): void {
    if (this.options.connectionString !== server) return;
    this.options.connectionString = this.#servers[(this.#servers.indexOf(server) + 1) % this.#servers.length];
  }
}

/** The pool of transactions. It reports code that asks for a second connection while it holds one. */
class WorkPool extends ServerPool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    reportSecondConnection();
    if (!callback) return super.connect();
    super.connect(callback);
    return undefined;
  }
}

function optionsOf(limits: TimeLimits): pg.PoolConfig {
  return {
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: POOL_NAME,
    ...(limits && { query_timeout: limits.statementMs + SERVER_LEAD_MS }),
    onConnect: async (client) => {
      await client.query(`${FORCE_INDEX_SCANS}; ${NO_COMPILATION}; ${DETECT_DEAD_CLIENTS}; ${settingsOf(limits)}`);
      await requireWritable(client);
    },
  };
}

/** A transaction that does nothing belongs to a hung process. It has twice the time of a statement. */
function settingsOf(limits: TimeLimits): string {
  const { statementMs = 0, lockMs = 0 } = limits ?? {};
  return `set statement_timeout = ${statementMs}; set lock_timeout = ${lockMs}; set idle_in_transaction_session_timeout = ${2 * statementMs}`;
}

/** @throws ReadOnlyServerError */
async function requireWritable(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ setting: string }>(
    "select current_setting('transaction_read_only') as setting",
  );
  if (rows[0]?.setting === 'on') throw new ReadOnlyServerError();
}

function prepare(pool: pg.Pool, log: Logger): pg.Pool {
  // Without a listener, losing an idle connection would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'lost an idle database connection'));
  pool.on('connect', (client) => {
    client.on('error', (error) => log.warn({ err: error }, 'lost a database connection in use'));
  });
  return pool;
}

/** A connection outside the pool. */
type Alone = {
  name: string;
  /** The time limit of a statement. Without it, a statement over a dead network waits forever. */
  timeoutMs?: number;
  /** How long the connection may send nothing before the server ends it and releases what it holds. */
  silenceMs?: number;
  /** A standby suffices. */
  readOnly?: true;
};

/**
 * Opens a connection outside the pool, for state that lives as long as the connection (a lock, a subscription, a sign of
 * life) and for commands. A lost connection is an `error` event, or the failure of the next statement.
 */
export async function connectAlone(url: string, options: Alone): Promise<pg.Client> {
  const failures: unknown[] = [];
  for (const server of inOrder(url)) {
    try {
      // biome-ignore lint/performance/noAwaitInLoops: one server after the other
      const client = await connectTo(server, options);
      if (!options.readOnly) writable.set(url, server);
      return client;
    } catch (error) {
      failures.push(error);
    }
  }
  throw failures.length === 1 ? failures[0] : new AggregateError(failures, failures.map(String).join('; '));
}

async function connectTo(server: string, { name, timeoutMs, silenceMs, readOnly }: Alone): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: server,
    application_name: name,
    keepAlive: true,
    connectionTimeoutMillis: Math.min(timeoutMs ?? CONNECT_MS, CONNECT_MS),
    query_timeout: timeoutMs,
  });
  // Without a listener, losing the connection would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(
      `${DETECT_DEAD_CLIENTS}; set statement_timeout = ${timeoutMs ?? 0}; set lock_timeout = 0;
       set idle_session_timeout = ${silenceMs ?? 0}; set idle_in_transaction_session_timeout = ${silenceMs ?? 0}`,
    );
    if (!readOnly) await requireWritable(client);
    return client;
  } catch (error) {
    client.end().catch(() => undefined);
    throw error;
  }
}
