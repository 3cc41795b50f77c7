import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { environmentOfChild } from './config.ts';
import { keepSecret } from './data-dir.ts';
import { checkEmbeddedPostgres, hintFor } from './postgres-checks.ts';
import { socketDirOf } from './postgres-socket.ts';
import type { DatabaseOrder, SupervisorOrder, SupervisorReport } from './postgres-supervisor.ts';
import { identityOf, servesFolder } from './processes.ts';
import { StartError } from './start-error.ts';

const SUPERVISOR = fileURLToPath(new URL('postgres-supervisor.ts', import.meta.url));
const USER = 'latchkey';
const PREVIOUS_SERVER_MS = 30_000;
const LOG_BYTES = 10_000_000;
const PORT_TRIES = 3;

export type EmbeddedPostgres = {
  /** Over TCP, for tools. */
  url: string;
  /** Over a Unix socket, which takes a fifth of the processor time off a statement; the same as `url` where there is none. */
  socketUrl: string;
  /** Shuts the database down cleanly; open connections are closed. */
  stop: () => Promise<void>;
  /** Resolves when the database has ended, whether it was stopped or crashed. */
  ended: Promise<void>;
};

/**
 * - `port`: 0 for any free port.
 * - `throwAway`: the data need not be durable, and `dataDir` is removed at the end.
 */
export type EmbeddedOptions = {
  dataDir: string;
  port: number;
  database: string;
  progress: (line: string) => void;
  flags?: string[];
  throwAway?: boolean;
  /** Work of this process that needs no database: it runs while the server starts. */
  meanwhile?: () => Promise<unknown>;
};

/**
 * Starts the PostgreSQL that comes with npm, with its data under `dataDir`. As root, the server runs as the user
 * `postgres`. It stops when this process ends, even if this process is killed. If `port` is in use, it listens on
 * another.
 * @throws StartError naming the problem and the remedy
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, flags = [], throwAway = false } = options;
  const databaseDir = join(dataDir, 'postgres');
  mkdirSync(dataDir, { recursive: true });
  checkEmbeddedPostgres(databaseDir);
  const password = loadPassword(join(dataDir, 'postgres-password'), databaseDir);
  await stopPreviousServer(databaseDir, options.progress);
  const order = { dataDir, databaseDir, port: options.port, user: USER, password, flags, throwAway };
  const { port, ...server } = await launchOnFreePort(order, options);
  const base = `postgres://${USER}:${password}@127.0.0.1:${port}`;
  try {
    await ensureDatabase(base, options.database);
  } catch (error) {
    await server.stop();
    throw error;
  }
  const url = `${base}/${options.database}`;
  const socketDir = socketDirOf(databaseDir);
  return { ...server, url, socketUrl: socketDir === '' ? url : `${url}?host=${encodeURIComponent(socketDir)}` };
}

function loadPassword(path: string, databaseDir: string): string {
  if (!existsSync(path) && existsSync(databaseDir))
    throw new StartError(
      `The password of the database is missing: ${path}. Restore that file, or move ${databaseDir} away to start with an empty database.`,
    );
  return keepSecret(path);
}

/**
 * The address of the server that a running Latchkey started with this data folder.
 * @throws Error if there is none
 */
export function addressOfRunning(dataDir: string, database: string): string {
  // The fourth line of the file is the port (PostgreSQL, storage of the lock file).
  const port = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[3];
  return `postgres://${USER}:${keepSecret(join(dataDir, 'postgres-password'))}@127.0.0.1:${port}/${database}`;
}

/**
 * After a kill -9 the previous server may still be shutting down, or still be running if its supervisor was killed too.
 * Stopping a server that is already shutting down has no effect.
 */
async function stopPreviousServer(databaseDir: string, progress: (line: string) => void): Promise<void> {
  const pidFile = join(databaseDir, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  if (servesFolder(pid, databaseDir)) {
    progress(`Waiting for the PostgreSQL of the former start to end (pid ${pid})`);
    process.kill(pid, 'SIGINT');
    const deadline = performance.now() + PREVIOUS_SERVER_MS;
    while (servesFolder(pid, databaseDir)) {
      if (performance.now() > deadline)
        throw new StartError(
          `The PostgreSQL of the former start does not end (pid ${pid}, data in ${databaseDir}). Stop it: kill -QUIT ${pid}`,
        );
      // biome-ignore lint/performance/noAwaitInLoops: polls
      await setTimeout(20);
    }
  } else if (identityOf(pid) !== null) {
    // After a machine crash the pid may belong to another program; PostgreSQL would take it for a running server.
    rmSync(pidFile, { force: true });
  }
}

type Launched = Omit<EmbeddedPostgres, 'url' | 'socketUrl'> & { port: number };

async function launchOnFreePort(
  order: DatabaseOrder,
  how: Pick<EmbeddedOptions, 'progress' | 'meanwhile'>,
  tries = PORT_TRIES,
): Promise<Launched> {
  const port = await freePort(order.port);
  if (order.port !== 0 && port !== order.port)
    how.progress(`Port ${order.port} is taken; the database listens on ${port} this time`);
  try {
    return { port, ...(await launch({ ...order, port }, how)) };
  } catch (error) {
    // Another program took the port in the meantime.
    const taken = error instanceof Error && /Address already in use/i.test(error.message);
    if (!taken || tries === 1) throw error;
    return launchOnFreePort({ ...order, port: 0 }, how, tries - 1);
  }
}

/** Returns the requested port, or a free port if it is in use. */
function freePort(requested: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error) => (requested === 0 ? reject(error) : freePort(0).then(resolve, reject)));
    probe.listen(requested, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : requested));
    });
  });
}

async function launch(
  database: DatabaseOrder,
  { progress, meanwhile }: Pick<EmbeddedOptions, 'progress' | 'meanwhile'>,
): Promise<Omit<Launched, 'port'>> {
  const log = join(database.dataDir, 'postgres.log');
  const output = openLog(log);
  const child = fork(SUPERVISOR, {
    detached: true,
    // During initialisation the library writes the password to a temporary file, so that folder must not be listable by
    // others.
    env: environmentOfChild({ TMPDIR: database.dataDir }),
    execArgv: [],
    stdio: ['ignore', output, output, 'ipc'],
  });
  closeSync(output);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  send(child, { order: 'start', database });
  const ready = new Promise<void>((resolve, reject) => {
    const fail = (reason: string) =>
      reject(new StartError(`The embedded PostgreSQL did not start: ${reason}\nMore is in ${log}.${hintFor(reason)}`));
    child.once('exit', (code, signal) => fail(`its supervisor ended (${signal ?? code})`));
    child.on('message', (message: SupervisorReport) => {
      if (message.state === 'initialising') progress('Making the embedded PostgreSQL database (first start)');
      if (message.state === 'failed') fail(message.reason);
      if (message.state === 'ready') resolve();
    });
  });
  await Promise.all([ready, meanwhile?.()]);
  return {
    ended,
    stop: async () => {
      send(child, { order: 'stop' });
      await ended;
      // The server is already stopped unless the supervisor was killed.
      await stopPreviousServer(database.databaseDir, progress);
    },
  };
}

/** Does nothing if the child has ended. */
function send(child: ChildProcess, order: SupervisorOrder): void {
  if (child.connected) child.send(order, () => undefined);
}

/** Keeps one older file, which bounds the size of the log. */
function openLog(path: string): number {
  if (existsSync(path) && statSync(path).size > LOG_BYTES) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}

async function ensureDatabase(base: string, database: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${base}/postgres` });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(database)}`);
  } finally {
    await client.end();
  }
}
