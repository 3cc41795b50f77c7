import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startEmbeddedPostgres } from '#platform/embedded-postgres.ts';
import { baseBackup } from '#tests/base-backup.ts';
import { expectSoon } from './wait.ts';

const PROGRAM = resolve(
  dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`))),
  '../native/bin/postgres',
);
const RESTART_MS = 500;
const SETTINGS = ['max_connections=110', 'wal_level=replica', 'max_wal_size=64MB', 'wal_sender_timeout=10s'];

/** The parts of an address that are the same for all servers. */
type Login = { user: string; password: string; database: string };

/** Creates the data of a server with a database. */
export async function createData(folder: string): Promise<Login> {
  const database = 'latchkey';
  const options = { dataDir: folder, port: 0, database, progress: () => undefined };
  const created = await startEmbeddedPostgres(options);
  await created.stop();
  const { username: user, password } = new URL(created.url);
  return { user, password, database };
}

/** Runs one statement over a connection of its own. */
export async function queryAt<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** A PostgreSQL that can be killed, frozen, filled and promoted. */
export class PostgresServer {
  readonly port: string;
  readonly folder: string;
  readonly #login: Login;
  #child: ChildProcess | null = null;
  #isWanted = false;
  /** How many times the server ended by itself and was started again. */
  restarts = 0;

  /** @param folder the data folder that {@link createData} or {@link PostgresServer.addStandby} made */
  constructor(folder: string, port: string, login: Login) {
    this.folder = folder;
    this.port = port;
    this.#login = login;
  }

  get url(): string {
    const { user, password, database } = this.#login;
    return `postgres://${user}:${password}@127.0.0.1:${this.port}/${database}`;
  }

  get #isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get #data(): string {
    return join(this.folder, 'postgres');
  }

  /**
   * Starts the server, and waits until it accepts connections. A server that ends by itself is started again, as by a service manager.
   */
  async start(): Promise<void> {
    this.#isWanted = true;
    this.#launch();
    await expectSoon('PostgreSQL accepts connections', async () => (await this.query('select 1')).length === 1);
  }

  #launch(): void {
    const { uid, gid } = statSync(join(this.#data, 'PG_VERSION'));
    const settings = [`port=${this.port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', ...SETTINGS];
    const child = spawn(PROGRAM, ['-D', this.#data, ...settings.flatMap((setting) => ['-c', setting])], {
      stdio: 'ignore',
      env: { LC_ALL: 'C' },
      ...(process.getuid?.() === 0 && { uid, gid }),
    });
    this.#child = child;
    child.once('exit', () => {
      if (!this.#isWanted) return;
      this.restarts += 1;
      setTimeout(() => this.#isWanted && this.#launch(), RESTART_MS);
    });
  }

  /** `SIGINT`: fast shutdown. `SIGQUIT`: immediate. */
  async stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    this.#isWanted = false;
    if (!this.#child || !this.#isRunning) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill(signal);
    await ended;
  }

  /** Sends a signal to all processes of the server at once. */
  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    const pid = this.#child?.pid;
    if (pid === undefined || !this.#isRunning) return;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    for (const one of [pid, ...children]) {
      try {
        process.kill(one, signal);
      } catch {
        // A connection that has ended since.
      }
    }
  }

  async kill(): Promise<void> {
    this.#isWanted = false;
    if (!this.#child || !this.#isRunning) return;
    const ended = once(this.#child, 'exit');
    this.signal('SIGKILL');
    await ended;
  }

  query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return queryAt<Row>(this.url, text, values);
  }

  /**
   * Copies this running server to a standby, starts it, and waits until commits wait for it. Clients must write meanwhile.
   */
  async addStandby(standby: PostgresServer): Promise<void> {
    await this.query("select pg_create_physical_replication_slot('standby', true)");
    await rm(standby.folder, { recursive: true, force: true });
    await mkdir(standby.folder);
    const { user, password } = this.#login;
    const conninfo = `host=127.0.0.1 port=${this.port} user=${user} password=${password}`;
    await baseBackup(this.url, {
      from: this.#data,
      to: standby.#data,
      files: {
        'standby.signal': '',
        'postgresql.auto.conf': `primary_conninfo = '${conninfo}'\nprimary_slot_name = 'standby'\n`,
      },
    });
    await standby.start();
    await this.query(`alter system set synchronous_standby_names = '*'`);
    await this.query('select pg_reload_conf()');
    await expectSoon('the standby is synchronous', async () => {
      const [row] = await this.query<{ sync_state: string }>('select sync_state from pg_stat_replication');
      return row?.sync_state === 'sync';
    });
    standby.signal('SIGSTOP');
    try {
      await expectSoon('commits wait for the standby', async () => {
        const waiting = await this.query(`select from pg_stat_activity where wait_event = 'SyncRep'`);
        return waiting.length > 0;
      });
    } finally {
      standby.signal('SIGCONT');
    }
  }

  /** Promotes this standby to the primary. Commits do not wait for a standby of its own. */
  async promote(): Promise<void> {
    await this.query('select pg_promote()');
    await this.query('alter system reset synchronous_standby_names');
    await this.query('select pg_reload_conf()');
  }
}
