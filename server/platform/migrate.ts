import { runMigrations } from 'graphile-worker';
import type pg from 'pg';
import { examine, listMigrations, type Migration, readMigrations } from '#migrations';
import { advisoryLocks, takeLock } from './advisory-locks.ts';
import { type AppliedSchema, adoptRecords, readSchema, recordMigration } from './applied-migrations.ts';
import { connectAlone, lastWritable } from './connections.ts';
import { divide, prepareDivision, readDivision } from './division.ts';
import { requireSession, requireVersion } from './server-fitness.ts';
import { StartError } from './start-error.ts';

/** If a process that migrates is frozen, the next one takes over. */
const MAX_SILENCE_MS = 60_000;
/** How long a migration waits for a lock. While it waits, requests that need the table wait behind it. */
const LOCK_TIMEOUT = "set lock_timeout = '60s'";

/**
 * Migrates the database to this version's schema. Safe to call from several processes at once. A database that has the
 * schema is only read, so a user without the right to change the schema can start Latchkey. The schema of a newer version
 * is left alone if this version can run on it.
 * @param progress receives the name of each migration
 * @param upTo the id of the last migration to apply: a backup of an older version needs the schema of that version
 * @throws StartError if the server does not fit, or if a newer version has migrated the database too far for this one
 */
export async function migrate(
  databaseUrl: string,
  progress: (line: string) => void,
  upTo = Number.POSITIVE_INFINITY,
): Promise<void> {
  const listed = await listMigrations();
  const client = await connectAlone(databaseUrl, { name: 'latchkey-migrate', silenceMs: MAX_SILENCE_MS });
  try {
    await requireVersion(client);
    await requireSession(client, databaseUrl);
    if (pendingOf(await readSchema(client), listed).every(({ id }) => id > upTo)) return;
    const migrations = await readMigrations();
    await takeLock(client, advisoryLocks.migration, {
      text: 'Waiting for another process that migrates the database…',
      tell: progress,
    });
    await client.query(LOCK_TIMEOUT);
    await runMigrations({ connectionString: lastWritable(databaseUrl) });
    await adoptRecords(client, migrations);
    const isNew = (await readSchema(client)).newest === 0;
    const pending = pendingOf(await readSchema(client), migrations).filter(({ id }) => id <= upTo);
    await applyMigrations(client, pending, progress);
    const division = await readDivision(client);
    // Nobody serves from a new database yet.
    if (isNew && division.onCitus) await prepareDivision(client);
    // The tables that the migrations added.
    if (division.isDivided) await divide(client, progress);
  } finally {
    await client.end();
  }
}

/**
 * The migrations that a database lacks. Those of two branches may arrive in another order than their numbers.
 * @throws StartError if a newer version has migrated the database too far for this one
 */
export function pendingOf<Known extends Pick<Migration, 'id'>>(
  { applied, newest, compatibleSince, version }: AppliedSchema,
  migrations: readonly Known[],
): Known[] {
  const known = migrations.at(-1)?.id ?? 0;
  if (compatibleSince > known)
    throw new StartError(
      `The database has schema ${newest}${version === null ? '' : ` of Latchkey ${version}`}, which needs a version that knows schema ${compatibleSince}; this Latchkey knows schemas up to ${known}. Run the newer version that migrated it, or restore a backup made before.`,
    );
  return migrations.filter(({ id }) => !applied.has(id));
}

/** Applies migrations one after the other. A connection that is lost between two statements leaves nothing that hinders the next try. */
export async function applyMigrations(
  client: pg.Client,
  pending: readonly Migration[],
  progress: (line: string) => void,
): Promise<void> {
  for (const [index, migration] of pending.entries()) {
    progress(`Migrating the database: ${migration.name} (${index + 1} of ${pending.length})`);
    // biome-ignore lint/performance/noAwaitInLoops: migrations run one after the other
    if (migration.concurrently) await applyConcurrently(client, migration.up);
    await client.query('begin');
    if (!migration.concurrently) await client.query(migration.up);
    await recordMigration(client, migration);
    await client.query('commit');
  }
}

/** Builds indexes while requests write. One that an interrupted try left invalid is dropped and built again. */
async function applyConcurrently(client: pg.Client, up: string): Promise<void> {
  // It waits for the transactions that are open, and nothing waits for it.
  await client.query('set lock_timeout = 0');
  for (const { text, index } of examine(up)) {
    // biome-ignore lint/performance/noAwaitInLoops: one statement after the other
    const { rows } = await client.query<{ valid: boolean }>(
      'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
      [index],
    );
    // On a cluster, some shards may not have it yet.
    if (rows[0]?.valid === false) await client.query(`drop index concurrently if exists ${index}`);
    if (rows[0]?.valid !== true) await client.query(text);
  }
  await client.query(LOCK_TIMEOUT);
}
