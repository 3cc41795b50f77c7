import pg from 'pg';
import { connectAlone } from './connections.ts';
import { StartError } from './start-error.ts';

const PROOF_CHANNEL = 'latchkey_session_proof';
const RESPONSE_MS = 5_000;
const OLDEST_SERVER = 160_000;

/** @throws StartError if the server is older than PostgreSQL 16 */
export async function requireVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: number }>(
    "select current_setting('server_version_num')::integer as version",
  );
  const version = rows[0]?.version ?? 0;
  if (version < OLDEST_SERVER)
    throw new StartError(
      `Found PostgreSQL ${Math.floor(version / 10_000)}; Latchkey needs PostgreSQL 16 or newer. Point DATABASE_URL at one, or leave it out to use the embedded server.`,
    );
}

/**
 * Requires that the connection is a session of the server, because locks and LISTEN last as long as a session. A pooler
 * in transaction mode gives each transaction one of its own connections.
 * @throws StartError if there is such a pooler in between
 */
export async function requireSession(client: pg.Client, url: string): Promise<void> {
  if (await isDirect(client)) return;
  const other = await connectAlone(url, { name: 'latchkey-proof', timeoutMs: RESPONSE_MS });
  try {
    await client.query(`listen ${PROOF_CHANNEL}`);
    const heard = hears(client);
    await other.query(`notify ${PROOF_CHANNEL}`);
    if (await heard) return;
  } finally {
    await Promise.all([client.query(`unlisten ${PROOF_CHANNEL}`), other.end()]);
  }
  throw new StartError(
    'A connection pooler in transaction mode is between Latchkey and PostgreSQL. Set DATABASE_DIRECT_URL to the address of PostgreSQL itself, or let the pooler use session mode.',
  );
}

/** True if no pooler is in between: the number of the session is the one that the server gave this connection. */
export async function isDirect(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid === Reflect.get(client, 'processID');
}

function hears(client: pg.Client): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), RESPONSE_MS);
    client.once('notification', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

const TURNS = 5;

/**
 * Requires that prepared statements work over the address of a pooler.
 * @throws StartError
 */
export async function requirePreparedStatements(url: string): Promise<void> {
  const name = 'latchkey-proof';
  const clients = await Promise.all([1, 2].map(() => connectAlone(url, { name, timeoutMs: RESPONSE_MS })));
  try {
    // Without support, a client finds no statement, its own twice, or the statement of the other, which gives another
    // result. Which server connection the pooler picks is luck: it may prefer the last one or avoid it, so each client
    // also has two turns in a row.
    const both = [...clients.entries()];
    for (const [index, client] of Array.from({ length: TURNS }, () => [...both, ...both.toReversed()]).flat()) {
      // biome-ignore lint/performance/noAwaitInLoops: by turns
      const { rows } = await client.query<{ own: number }>({ name, text: `select ${index} as own` });
      if (rows[0]?.own !== index) throw lostStatements();
    }
  } catch (error) {
    throw error instanceof pg.DatabaseError ? lostStatements(error) : error;
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

function lostStatements(cause?: Error): StartError {
  return new StartError(
    'The connection pooler of DATABASE_URL loses prepared statements. Use PgBouncer 1.21 or newer with max_prepared_statements, or let it use session mode.',
    { cause },
  );
}

/** How many connections a server allows this user, and how many of them are in use. */
export type Connections = { allowed: number; used: number };

/** Counts connections, except those of this process. */
export async function readConnections(client: pg.Client): Promise<Connections> {
  const { rows } = await client.query<Connections>(`
    select least(
        current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
          - coalesce(current_setting('reserved_connections', true)::integer, 0),
        (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
        (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as allowed,
      (select count(*) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()) as used`);
  const [found] = rows;
  if (!found) throw new Error('unreachable: a select without from has a row');
  return found;
}

/** The fault in the number of connections that a process may open, as a phrase; null if there is none. */
export function faultOfConnections(needed: number, { allowed, used }: Connections): string | null {
  if (needed <= allowed - used) return null;
  return `This process may open ${needed} connections to the database, which allows ${allowed} in all and has ${used} in use. Lower LATCHKEY_DATABASE_POOL, raise max_connections of PostgreSQL, or put a pooler in between.`;
}
