import type pg from 'pg';
import { connectAlone } from './connections.ts';
import type { System } from './system.ts';

const PREFIX = 'latchkey-jobs/';
const RESCUE_MS = 5_000;
const RESPONSE_MS = 10_000;
/** A process that is frozen or hangs for this long counts as dead. */
const MAX_SILENCE_MS = 15_000;
/** A process is dead if its sign of life is missing this many times in a row: longer than a reconnect takes after a lost connection. */
const MISSED = 4;

/**
 * Publishes that this process is alive, over a connection that ends with it, and releases the jobs of dead processes to
 * the queue. Without it, graphile-worker waits four hours for a killed process.
 */
export class SignOfLife {
  readonly #system: System;
  #pool: string | null = null;
  #client: pg.Client | null = null;
  /** How often in a row the sign of life of each process that holds jobs was missing. */
  #missing = new Map<string, number>();
  #working = false;
  #stopped = false;
  readonly #timer: NodeJS.Timeout;

  constructor(system: System) {
    this.#system = system;
    this.#timer = setInterval(() => this.#work(), RESCUE_MS);
  }

  /** @param pool the name under which graphile-worker locks this process's jobs */
  show(pool: string): void {
    this.#pool = pool;
    this.#work();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#client?.end().catch(() => undefined);
  }

  #work(): void {
    if (this.#working || this.#stopped || this.#pool === null) return;
    this.#working = true;
    this.#rescue(this.#pool)
      .catch((error: unknown) => this.#lost(error))
      .finally(() => {
        this.#working = false;
      });
  }

  async #rescue(pool: string): Promise<void> {
    this.#client ??= await this.#connect(pool);
    const { rows } = await this.#client.query<{ holder: string }>({
      name: 'lifeless',
      text: LIFELESS,
      values: [PREFIX],
    });
    this.#missing = new Map(rows.map(({ holder }) => [holder, (this.#missing.get(holder) ?? 0) + 1]));
    const dead = rows.map(({ holder }) => holder).filter((holder) => (this.#missing.get(holder) ?? 0) >= MISSED);
    if (dead.length === 0) return;
    await this.#client.query({ name: 'rescue-jobs', text: RESCUE, values: [dead] });
  }

  async #connect(pool: string): Promise<pg.Client> {
    const client = await connectAlone(this.#system.databaseUrl, {
      name: PREFIX + pool,
      timeoutMs: RESPONSE_MS,
      silenceMs: MAX_SILENCE_MS,
    });
    client.on('error', (error) => this.#lost(error));
    return client;
  }

  #lost(error: unknown): void {
    const client = this.#client;
    this.#client = null;
    if (!this.#stopped) this.#system.log.warn({ err: error }, 'the rescue of jobs lost its connection');
    client?.end().catch(() => undefined);
  }
}

/** Those who hold jobs without a sign of life, across all workspaces. */
const LIFELESS = `
select distinct locked_by as holder from graphile_worker.jobs
where locked_by is not null and not exists (
  select from pg_stat_activity where datname = current_database() and application_name = $1 || locked_by
)`;

const RESCUE = 'select graphile_worker.force_unlock_workers($1::text[])';
