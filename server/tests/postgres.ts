import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '#platform/embedded-postgres.ts';
import { migrate } from '#platform/migrate.ts';

const TEMPLATE = 'latchkey_template';

/** Test databases are small and live for seconds: they need no durability, log for replicas or clean-up. */
const FAST = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'max_wal_size=4GB',
  'autovacuum=off',
  'max_connections=400',
  'shared_buffers=128MB',
].flatMap((setting) => ['-c', setting]);

/**
 * A temporary PostgreSQL with a migrated database to clone. It removes itself, also if the test run is killed.
 * @returns the address of the template
 */
export async function preparePostgres(
  progress: (line: string) => void,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-test-'));
  await chmod(folder, 0o755);
  const server = await startEmbeddedPostgres({
    dataDir: folder,
    port: 0,
    database: TEMPLATE,
    progress,
    flags: FAST,
    throwAway: true,
  });
  await migrate(server.url, progress);
  return { url: server.url, stop: server.stop };
}

/**
 * Clones the migrated database.
 * @returns its address, and how to drop it
 */
export function cloneDatabase(templateUrl: string): Promise<{ url: string; drop: () => Promise<void> }> {
  return createDatabase(templateUrl, TEMPLATE);
}

/**
 * An empty database on the same server.
 * @returns its address, and how to drop it
 */
export function emptyDatabase(serverUrl: string): Promise<{ url: string; drop: () => Promise<void> }> {
  return createDatabase(serverUrl, 'template1');
}

async function createDatabase(
  templateUrl: string,
  template: string,
): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`;
  // Copies files; copying page by page through the log takes twice the processor time.
  await administer(templateUrl, `create database ${name} template ${template} strategy file_copy`);
  const url = new URL(templateUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => administer(templateUrl, `drop database if exists ${name} with (force)`) };
}

async function administer(templateUrl: string, statement: string): Promise<void> {
  const url = new URL(templateUrl);
  url.pathname = '/postgres';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    // A template must have no connections, and two concurrent clones would see each other's.
    await client.query('select pg_advisory_lock(1)');
    await client.query(statement);
  } finally {
    await client.end();
  }
}
