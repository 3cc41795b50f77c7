import type pg from 'pg';
import { DIVIDED_SINCE, FUNCTIONS_OF_DIVIDED, LAYOUT, REUNITED, UNDIVIDED } from '#migrations';
import { connectAlone } from './connections.ts';
import { isDeadlock, isLockTimeout } from './db.ts';
import { StartError } from './start-error.ts';

/** How the tables of an installation lie: on one server, or divided over those of a Citus cluster. */
export type Division = {
  /** Whether the database has the extension Citus. */
  onCitus: boolean;
  /** The active servers that take rows; 0 without Citus. */
  workers: number;
  isDivided: boolean;
  /** The tables that are not yet where the layout has them. Empty without Citus. */
  pending: PendingTable[];
};

export type PendingTable = { table: string; kind: 'distributed' | 'reference'; rows: number; bytes: number };

/** The table beside which all others of a workspace are placed. It is the first to be distributed. */
const ANCHOR = 'projects';

/** Reads how the tables lie. */
export async function readDivision(client: pg.ClientBase): Promise<Division> {
  const { rows } = await client.query<{ there: boolean }>(
    "select exists (select from pg_extension where extname = 'citus') and to_regclass('workspaces') is not null as there",
  );
  if (!rows[0]?.there) return { onCitus: false, workers: 0, isDivided: false, pending: [] };
  const workers = await client.query<{ count: number }>(
    'select count(*) from pg_dist_node where isactive and shouldhaveshards',
  );
  const tables = await client.query<{ table: string; rows: number; bytes: number; method: string | null }>(
    `select c.relname as table, greatest(c.reltuples, 0)::bigint as rows, pg_total_relation_size(c.oid) as bytes, p.partmethod as method
     from pg_class c left join pg_dist_partition p on p.logicalrelid = c.oid
     where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace order by (c.relname <> $1), c.relname`,
    [ANCHOR],
  );
  const pending = tables.rows.flatMap(({ table, rows: count, bytes, method }) => {
    const kind = LAYOUT.get(table)?.kind;
    return method === null && kind !== undefined && kind !== 'local' ? [{ table, kind, rows: count, bytes }] : [];
  });
  return {
    onCitus: true,
    workers: workers.rows[0]?.count ?? 0,
    isDivided: tables.rows.some(({ method }) => method === 'h'),
    pending,
  };
}

/**
 * Removes what only an undivided installation has: a new one on Citus never gets it, and one that is divided loses it.
 * Versions that need it do not start afterwards.
 */
export async function prepareDivision(client: pg.ClientBase): Promise<void> {
  // biome-ignore lint/performance/noAwaitInLoops: on one connection
  for (const statement of UNDIVIDED) await client.query(statement);
  await client.query('update applied_migrations set compatible_since = $1 where id = $1', [DIVIDED_SINCE]);
  await client.query(
    `insert into schema_migrations (id, name, applied_at) select id, name, applied_at from applied_migrations
     where id <= $1 on conflict do nothing`,
    [DIVIDED_SINCE],
  );
}

/** How long one attempt waits for the tables. Requests queue behind it, so it must be short. */
const LOCK_TIMEOUT = '5s';
const MAX_ATTEMPTS = 60;
/** Longer than a request waits for a lock. In a deadlock the request gives up first, and gets 503. */
const DEADLOCK_TIMEOUT = '10s';

/**
 * Moves each table to where the layout has it, in one transaction: an interruption leaves nothing behind. Statements of
 * requests wait until it commits. It begins again while transactions do not let go of the tables.
 * @param tell receives the name of each table
 * @throws StartError without Citus, or without a server that takes rows
 */
export async function divide(client: pg.Client, tell: (line: string) => void): Promise<void> {
  const { onCitus, workers, pending } = await readDivision(client);
  if (!onCitus) throw new StartError('The database has no Citus: `create extension citus`, and add its workers.');
  if (pending.length === 0) return addFunctions(client);
  if (workers === 0) throw new StartError('The Citus cluster has no worker: `select citus_add_node(host, port)`.');
  for (let attempt = 1; ; attempt += 1) {
    try {
      // biome-ignore lint/performance/noAwaitInLoops: one attempt after the other
      await client.query('begin');
      await move(client, pending, tell);
      await client.query('commit');
      break;
    } catch (error) {
      await client.query('rollback');
      if (attempt === MAX_ATTEMPTS || !(isDeadlock(error) || isLockTimeout(error))) throw error;
      tell(`Dividing the tables: waiting for transactions that use them (attempt ${attempt} of ${MAX_ATTEMPTS})`);
    }
  }
  await addFunctions(client);
}

/** Adds the functions that are missing. An installation works without them, but slower. */
async function addFunctions(client: pg.Client): Promise<void> {
  for (const { signature, text, beside } of FUNCTIONS_OF_DIVIDED) {
    // biome-ignore lint/performance/noAwaitInLoops: on one connection
    const { rows } = await client.query<{ there: boolean }>('select to_regprocedure($1) is not null as there', [
      signature,
    ]);
    if (rows[0]?.there) continue;
    await client.query('begin');
    await client.query(text);
    await client.query("select create_distributed_function($1, '$1', colocate_with := $2)", [signature, beside]);
    await client.query('commit');
  }
}

/** Moves the tables, in a transaction. */
async function move(client: pg.Client, pending: readonly PendingTable[], tell: (line: string) => void): Promise<void> {
  const names = pending.map(({ table }) => client.escapeIdentifier(table));
  // One connection to each worker, which sees what the one before did.
  await client.query("set local citus.multi_shard_modify_mode = 'sequential'");
  // Before any row moves, because later a lock that is not granted would undo the work of minutes.
  await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
  await client.query(
    `select set_config('deadlock_timeout', $1, true) where has_parameter_privilege('deadlock_timeout', 'set')`,
    [DEADLOCK_TIMEOUT],
  );
  await client.query(`lock table ${names.join(', ')} in access exclusive mode`);
  await prepareDivision(client);
  const keys = await takeForeignKeys(client, pending);
  for (const [index, { table, kind }] of pending.entries()) {
    tell(`Dividing the tables: ${table} (${index + 1} of ${pending.length})`);
    // biome-ignore lint/performance/noAwaitInLoops: one table after the other
    await place(client, table, kind);
  }
  // Citus hides the rows that it has copied, and leaves them on the coordinator: nothing would ever erase them there.
  // biome-ignore lint/performance/noAwaitInLoops: on one connection
  for (const name of names) await client.query('select truncate_local_data_after_distributing_table($1)', [name]);
  for (const statement of [...REUNITED, ...keys]) {
    // biome-ignore lint/performance/noAwaitInLoops: on one connection
    await client.query(statement);
  }
}

async function place(client: pg.Client, table: string, kind: 'distributed' | 'reference'): Promise<void> {
  const name = client.escapeIdentifier(table);
  if (kind === 'reference') await client.query('select create_reference_table($1::text)', [name]);
  else if (table === ANCHOR)
    await client.query("select create_distributed_table($1::text, 'workspace_id', colocate_with := 'none')", [name]);
  else
    await client.query("select create_distributed_table($1::text, 'workspace_id', colocate_with := $2)", [
      name,
      ANCHOR,
    ]);
}

/**
 * Drops the foreign keys of tables that move, because their order would matter otherwise.
 * @returns the statements that add them again
 */
async function takeForeignKeys(client: pg.Client, pending: readonly PendingTable[]): Promise<string[]> {
  const { rows } = await client.query<{ table: string; name: string; definition: string }>(
    `select f.conrelid::regclass::text as table, quote_ident(f.conname) as name, pg_get_constraintdef(f.oid) as definition
     from pg_constraint f where f.contype = 'f' and f.connamespace = current_schema()::regnamespace
       and (f.conrelid = any($1::text[]::regclass[]) or f.confrelid = any($1::text[]::regclass[]))`,
    [pending.map(({ table }) => table)],
  );
  for (const { table, name } of rows) {
    // biome-ignore lint/performance/noAwaitInLoops: on one connection
    await client.query(`alter table ${table} drop constraint ${name}`);
  }
  return rows.map(({ table, name, definition }) => `alter table ${table} add constraint ${name} ${definition}`);
}

/**
 * The user whose statements wait on workers for a lock as long as they may run, if it is so. What a connection sets stays on
 * the coordinator; workers have the settings of the role.
 */
export async function userWaitingOnWorkers(client: pg.ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<{ user: string }>(
    `select quote_ident(current_user) as user from run_command_on_workers('show lock_timeout') where result = '0' limit 1`,
  );
  return rows[0]?.user;
}

/** A table whose largest shard has more than its share. */
export type SkewedTable = { table: string; largest: number; average: number };

/** A shard smaller than this does no harm, however empty the others are. */
const MIN_SKEW_BYTES = 64 * 1024 * 1024;

/**
 * The distributed tables whose largest shard has more than four times the bytes of the average one. A shard that an operator
 * gave to a single workspace is left out: its range of hashes is a single one.
 */
export async function skewedTables(client: pg.ClientBase): Promise<SkewedTable[]> {
  const { rows } = await client.query<SkewedTable>(
    `select table_name::text as table, max(shard_size) as largest, avg(shard_size)::bigint as average
     from citus_shards join pg_dist_shard using (shardid)
     where citus_table_type = 'distributed' and shardminvalue <> shardmaxvalue group by table_name
     having max(shard_size) > 4 * avg(shard_size) and max(shard_size) > $1 order by 2 desc`,
    [MIN_SKEW_BYTES],
  );
  return rows;
}

/** How long a backup waits for a change of workspaces or domains that is being made. */
const SNAPSHOT_LOCK_TIMEOUT = '10s';

/**
 * Begins a transaction that sees each workspace as it was at one moment. Citus has a snapshot for each connection to a
 * server, taken at its first statement: there is one connection to each server, and all have their snapshot before this
 * returns. A workspace is on one server; the tables of which every server has a copy do not change meanwhile.
 * @param begin the statement that begins it, at the level "repeatable read"
 */
export async function beginDividedSnapshot(client: pg.Client, databaseUrl: string, begin: string): Promise<void> {
  await client.query('set citus.max_adaptive_executor_pool_size = 1');
  const keeper = await connectAlone(databaseUrl, { name: 'latchkey-snapshot', readOnly: true });
  try {
    await keeper.query(`begin; set local lock_timeout = '${SNAPSHOT_LOCK_TIMEOUT}'`);
    const { rows } = await keeper.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
    const copied = [...LAYOUT].flatMap(([table, { kind }]) => (kind === 'reference' ? [table] : []));
    if (!rows[0]?.standby) await keeper.query(`lock table ${copied.join(', ')} in share mode`);
    await client.query(begin);
    await client.query(`select from ${ANCHOR} limit 1`);
  } finally {
    await keeper.end();
  }
}
