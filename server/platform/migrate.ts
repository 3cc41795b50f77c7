import { runMigrations } from 'graphile-worker';
import pg from 'pg';
import { type Migration, readMigrations } from '#migrations';
import { advisoryLocks } from './advisory-locks.ts';
import { StartError } from './start-error.ts';

const OLDEST_SERVER = 160_000;

/**
 * Migrates the database to this version's schema. Safe to call from several processes at once.
 * @param progress receives the name of each migration
 * @param upTo the id of the last migration to apply: a backup of an older version needs the schema of that version
 * @throws StartError if the server is older than PostgreSQL 16, or if a newer Latchkey has migrated the database
 */
export async function migrate(
  databaseUrl: string,
  progress: (line: string) => void,
  upTo = Number.POSITIVE_INFINITY,
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'latchkey-migrate' });
  // The query in progress rejects with the same error.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [advisoryLocks.migration]);
    await checkServer(client);
    const pending = (await pendingMigrations(client)).filter(({ id }) => id <= upTo);
    if (pending.length === 0) return;
    await applyAll(client, pending, progress);
    await runMigrations({ connectionString: databaseUrl });
  } finally {
    await client.end();
  }
}

async function checkServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: number }>(
    "select current_setting('server_version_num')::integer as version",
  );
  const version = rows[0]?.version ?? 0;
  if (version < OLDEST_SERVER)
    throw new StartError(
      `Found PostgreSQL ${Math.floor(version / 10_000)}; Latchkey needs PostgreSQL 16 or newer. Point DATABASE_URL at one, or leave it out to use the embedded server.`,
    );
}

async function pendingMigrations(client: pg.Client): Promise<Migration[]> {
  await client.query(
    'create table if not exists schema_migrations (id integer primary key, name text not null, applied_at timestamptz not null default now())',
  );
  const { rows } = await client.query<{ id: number }>('select id from schema_migrations');
  const applied = new Set(rows.map(({ id }) => id));
  const newest = Math.max(0, ...applied);
  const migrations = await readMigrations();
  const known = migrations.at(-1)?.id ?? 0;
  if (newest > known)
    throw new StartError(
      `The database has schema ${newest}, but this Latchkey knows schemas up to ${known}. Run the newer version that migrated it, or restore a backup made before.`,
    );
  // Migrations of two branches may arrive in another order than their numbers.
  return migrations.filter(({ id }) => !applied.has(id));
}

async function applyAll(client: pg.Client, pending: Migration[], progress: (line: string) => void): Promise<void> {
  for (const [index, migration] of pending.entries()) {
    progress(`Migrating the database: ${migration.name} (${index + 1} of ${pending.length})`);
    // biome-ignore lint/performance/noAwaitInLoops: migrations run one after the other
    await client.query('begin');
    await client.query(migration.up);
    await client.query('insert into schema_migrations (id, name) values ($1, $2)', [migration.id, migration.name]);
    await client.query('commit');
  }
}
