import type pg from 'pg';
import { examine, type Lock, type Migration } from '#migrations';
import { readSchema } from '#platform/applied-migrations.ts';
import { pendingOf } from '#platform/migrate.ts';

type PlannedStatement = {
  sql: string;
  locks: { table: string; mode: Lock['mode'] }[];
  /** A rough estimate from the size of the tables. */
  seconds: number;
};

export type PlannedMigration = {
  id: number;
  name: string;
  /** For a contracting migration: the schema that a version must know to serve afterwards. */
  compatibleSince: number | null;
  statements: PlannedStatement[];
  /** Its locks are held as long, because a migration is one transaction, unless it works concurrently. */
  seconds: number;
  /** Its statements run outside of a transaction, while requests write. */
  concurrently: boolean;
  /** The table whose rows the worker changes afterwards, in small steps. */
  backfill: { table: string; rows: number } | null;
};

/** What a slow disk reads, to check a constraint or to build an index. */
const BYTES_PER_SECOND = 50_000_000;
/** What a slow disk changes. */
const ROWS_PER_SECOND = 20_000;

type Size = { rows: number; bytes: number };

/**
 * What `latchkey migrate` would do, on a connection that only reads.
 * @throws StartError if a newer version has migrated the database too far for this one
 */
export async function planMigrations(
  client: pg.ClientBase,
  migrations: readonly Migration[],
): Promise<PlannedMigration[]> {
  const pending = pendingOf(await readSchema(client), migrations);
  const sizes = await readSizes(client);
  const tableOfIndex = await readIndexes(client);
  return pending.map(({ id, name, up, compatibleSince, concurrently, backfill }) => {
    const statements = examine(up).map(({ text, locks, scans }) => ({
      sql: text,
      locks: locks.flatMap((lock) => {
        const table = 'table' in lock ? lock.table : tableOfIndex.get(lock.index);
        // What an earlier pending migration creates is not there yet.
        return table !== undefined && sizes.has(table) ? [{ table, mode: lock.mode }] : [];
      }),
      seconds: scans.reduce((sum, table) => sum + secondsFor(text, sizes.get(table)), 0),
    }));
    const seconds = statements.reduce((sum, statement) => sum + statement.seconds, 0);
    const named = backfill && { table: backfill.table, rows: Math.round(sizes.get(backfill.table)?.rows ?? 0) };
    return { id, name, compatibleSince, statements, seconds, concurrently, backfill: named };
  });
}

function secondsFor(sql: string, { rows, bytes }: Size = { rows: 0, bytes: 0 }): number {
  return /^(?:insert|update|delete)\b/i.test(sql) ? rows / ROWS_PER_SECOND : bytes / BYTES_PER_SECOND;
}

async function readSizes(client: pg.ClientBase): Promise<Map<string, Size>> {
  const { rows } = await client.query<{ name: string } & Size>(
    `select c.relname as name, pg_relation_size(c.oid)::float8 as bytes,
       -- A table that was never analysed has no count. Its rows are as short as rows get.
       case when c.reltuples < 0 then pg_relation_size(c.oid) / 100 else c.reltuples end::float8 as rows
     from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`,
  );
  return new Map(rows.map(({ name, ...size }) => [name, size]));
}

async function readIndexes(client: pg.ClientBase): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; of: string }>(
    `select c.relname as name, t.relname as of from pg_index i
     join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
     where c.relnamespace = 'public'::regnamespace`,
  );
  return new Map(rows.map(({ name, of }) => [name, of]));
}
