import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { appendFile, chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { connectAlone } from '#platform/connections.ts';
import { divide } from '#platform/division.ts';
import { startEmbeddedPostgres } from '#platform/embedded-postgres.ts';
import { migrate } from '#platform/migrate.ts';
import { freePortBase } from './ports.ts';
import { LOGGING } from './unrouted.ts';

const TEMPLATE = 'latchkey_template';
/** Makes and starts clusters for tests. */
const CITUS = process.env['CITUS_HOME'] ?? resolve(import.meta.dirname, '../../../shared/citus');

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

const call = promisify(execFile);

/** The Citus cluster of this run, for tests that stop one of its servers; null without one. */
export const CLUSTER =
  process.env['CITUS_TEST_FOLDER'] === undefined ? null : clusterIn(process.env['CITUS_TEST_FOLDER']);

/** Why a test that plants a trigger is skipped on a cluster; false where it runs. */
export const PLANTS_TRIGGER = CLUSTER !== null && 'Citus has no triggers on divided tables';

/**
 * Makes a Citus cluster of a test's own, with a divided database.
 * @param settings of a server, by its name
 */
export async function makeCluster(folder: string, settings: (name: string) => string) {
  await call(resolve(CITUS, 'cluster.sh'), ['--no-fsync', folder, String(await freePortBase())]);
  const cluster = clusterIn(folder);
  await cluster.stop();
  await Promise.all(cluster.servers.map(({ name, data }) => appendFile(join(data, 'postgresql.conf'), settings(name))));
  await cluster.start();
  const databaseUrl = await cluster.fresh('latchkey');
  await migrateDivided(databaseUrl, cluster.servers.length - 1, () => undefined);
  return { ...cluster, databaseUrl };
}

async function migrateDivided(url: string, shards: number, progress: (line: string) => void): Promise<void> {
  await migrate(url, progress);
  const client = await connectAlone(url, { name: 'test-citus' });
  await client.query(`set citus.shard_count = ${shards}`);
  await divide(client, progress);
  await client.end();
}

function clusterIn(folder: string) {
  const [base = '', workers = ''] = readFileSync(join(folder, 'cluster.conf'), 'utf8').trim().split(' ');
  const servers = Array.from({ length: Number(workers) + 1 }, (_, index) => {
    const name = index === 0 ? 'coordinator' : `worker${index}`;
    return { name, port: String(Number(base) + index), data: join(folder, name) };
  });
  return {
    folder,
    servers,
    ports: servers.map(({ port }) => port),
    start: () => call(resolve(CITUS, 'cluster.sh'), [folder, base, workers]),
    stop: () => call(resolve(CITUS, 'cluster.sh'), ['stop', folder]),
    /** Makes an empty database, and returns its address. */
    fresh: async (database: string) => {
      const make = () => call(resolve(CITUS, 'cluster.sh'), ['fresh', folder, database]);
      // A process of Citus may connect to the database while it is removed, after a start or a test.
      const { stdout } = await make().catch(make);
      return stdout.trim().split('\n').at(-1) ?? '';
    },
  };
}

const SETTINGS = [
  // Citus has a process for each database, and moving a shard takes more. By default a server has eight.
  'alter system set max_worker_processes = 64',
  // A shard is split by a plugin of Citus.
  'alter system set output_plugin_libraries = pgoutput, test_decoding, citus',
];

/**
 * A migrated database that is divided over the servers of a Citus cluster for tests, to clone on each of them.
 * @param folder the cluster, which `cluster.sh` has started
 * @returns the address of the template, and the ports of the servers
 */
export async function prepareCitus(
  folder: string,
  progress: (line: string) => void,
): Promise<{ url: string; ports: string[] }> {
  const cluster = clusterIn(folder);
  const { ports } = cluster;
  process.env['CITUS_TEST_PORTS'] = ports.join(',');
  for (const setting of SETTINGS) {
    // biome-ignore lint/performance/noAwaitInLoops: one setting after the other
    await administer(`postgres://postgres@127.0.0.1:${ports[0]}/postgres`, setting);
  }
  await cluster.stop();
  await cluster.start();
  const url = await cluster.fresh(TEMPLATE);
  // As few shards as possible, because each test clones them: one on each worker.
  await migrateDivided(url, ports.length - 1, progress);
  // Citus keeps a connection to each of its databases, and a database with connections can't be cloned.
  for (const statement of LOGGING) {
    // biome-ignore lint/performance/noAwaitInLoops: one setting after the other
    await administerAt(url, statement);
  }
  await administer(url, `alter database ${TEMPLATE} with allow_connections false`);
  await administer(url, `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${TEMPLATE}'`);
  return { url, ports };
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

/** The servers of a Citus cluster, the coordinator first; without one, that of the template. A database is on all of them. */
function serversOf(templateUrl: string): string[] {
  const ports = process.env['CITUS_TEST_PORTS']?.split(',') ?? [new URL(templateUrl).port];
  return ports.map((port) => {
    const url = new URL(templateUrl);
    url.port = port;
    url.pathname = '/postgres';
    return url.href;
  });
}

async function administer(templateUrl: string, statement: string): Promise<void> {
  await Promise.all(serversOf(templateUrl).map((server) => administerAt(server, statement)));
}

async function administerAt(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    // A template must have no connections, and two concurrent clones would see each other's.
    await client.query('select pg_advisory_lock(1)');
    await client.query(statement);
  } finally {
    await client.end();
  }
}
