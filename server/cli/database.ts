import { statfs } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { Config } from '#platform/config.ts';
import { AlreadyRunningError, makeDataDir, takeDataDir } from '#platform/data-dir.ts';
import {
  addressOfRunning,
  type EmbeddedOptions,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '#platform/embedded-postgres.ts';

/** A database connection, and how to release it. */
export type Database = {
  /** Without a pooler in between. */
  url: string;
  stop: () => Promise<void>;
  /** Resolves when the database has ended for good. */
  ended: Promise<void>;
};

const EMBEDDED = 'latchkey';
const NEVER = new Promise<void>(() => undefined);
/** More restarts than this within the time window: the fault is permanent. */
const RESTARTS = 3;
const RESTARTS_WITHIN_MS = 600_000;
/** The processes of a killed server may take a moment to release its memory. */
const RESTART_PAUSES_MS = [0, 250, 1000, 4000];
/** PostgreSQL needs space for its log (WAL) to start: several segments of 16 MB. */
const NEEDED_BYTES = 64_000_000;
const SPACE_POLL_MS = 1_000;

/**
 * Opens the configured server, or the embedded one. In the embedded mode one process at a time holds the data folder,
 * and a server that crashes is restarted at the same address.
 * @param meanwhile work that needs no database, for the time in which the embedded one starts
 * @throws StartError
 */
export async function openDatabase(
  config: Config,
  progress: (line: string) => void,
  meanwhile?: () => Promise<unknown>,
): Promise<Database> {
  if (config.databaseUrl !== null) {
    // Development mode stores demo.json there.
    if (config.mode === 'development') makeDataDir(config);
    return { url: config.databaseDirectUrl ?? config.databaseUrl, stop: async () => undefined, ended: NEVER };
  }
  const folder = await takeDataDir(config);
  try {
    const options = { dataDir: config.dataDir, port: config.ports.database, database: EMBEDDED, progress };
    const server = await startEmbeddedPostgres({ ...options, ...(meanwhile && { meanwhile }) });
    const kept = new KeptPostgres(server, options);
    return { url: kept.url, ended: kept.ended, stop: () => kept.stop().finally(folder.release) };
  } catch (error) {
    folder.release();
    throw error;
  }
}

/**
 * Like {@link openDatabase}, but shares the embedded database of a running Latchkey.
 * @throws StartError
 */
export async function joinDatabase(config: Config, progress: (line: string) => void): Promise<Database> {
  try {
    return await openDatabase(config, progress);
  } catch (error) {
    if (!(error instanceof AlreadyRunningError)) throw error;
    return { url: addressOfRunning(config.dataDir, EMBEDDED), stop: async () => undefined, ended: NEVER };
  }
}

/** The embedded server, restarted when it crashes. */
class KeptPostgres {
  readonly url: string;
  /** Resolves when it was stopped, or can't be kept running. */
  readonly ended: Promise<void>;
  readonly #options: EmbeddedOptions;
  #server: EmbeddedPostgres;
  #stopping = false;

  constructor(server: EmbeddedPostgres, options: EmbeddedOptions) {
    this.url = server.socketUrl;
    this.#server = server;
    // Connections use this address, so a restart must keep the port.
    this.#options = { ...options, port: Number(new URL(server.url).port) };
    this.ended = this.#keep();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#server.stop();
    await this.ended;
  }

  async #keep(): Promise<void> {
    let restarts: number[] = [];
    for (;;) {
      // biome-ignore lint/performance/noAwaitInLoops: one server after the other
      await this.#server.ended;
      if (await this.#waitForSpace()) restarts = [];
      restarts = [...restarts.filter((at) => performance.now() - at < RESTARTS_WITHIN_MS), performance.now()];
      if (this.#stopping || restarts.length > RESTARTS || !(await this.#restart())) return;
    }
  }

  /** On a full disk, a server would end again. @returns whether the disk was full */
  async #waitForSpace(): Promise<boolean> {
    const { dataDir, progress } = this.#options;
    const isFull = async () => {
      const disk = this.#stopping ? null : await statfs(dataDir).catch(() => null);
      return disk !== null && disk.bavail * disk.bsize < NEEDED_BYTES;
    };
    if (!(await isFull())) return false;
    progress(
      `The disk of ${dataDir} is full. The embedded PostgreSQL starts again when ${NEEDED_BYTES / 1e6} MB are free.`,
    );
    // biome-ignore lint/performance/noAwaitInLoops: polls
    while (await isFull()) await setTimeout(SPACE_POLL_MS);
    return true;
  }

  /** @returns whether the server runs again */
  async #restart(): Promise<boolean> {
    const { progress } = this.#options;
    progress('The embedded PostgreSQL ended unexpectedly (see postgres.log in the data folder). Starting it again…');
    for (const pause of RESTART_PAUSES_MS) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential attempts
      await setTimeout(pause);
      await this.#waitForSpace();
      if (this.#stopping) return false;
      try {
        return await this.#start();
      } catch (error) {
        progress(error instanceof Error ? error.message : String(error));
      }
    }
    return false;
  }

  async #start(): Promise<boolean> {
    const server = await startEmbeddedPostgres(this.#options);
    const usable = server.socketUrl === this.url && !this.#stopping;
    if (usable) this.#server = server;
    else await server.stop();
    if (usable) this.#options.progress('The embedded PostgreSQL runs again.');
    return usable;
  }
}
