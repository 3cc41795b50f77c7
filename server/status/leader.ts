import type pg from 'pg';
import { advisoryLocks } from '#platform/advisory-locks.ts';
import { connectAlone } from '#platform/connections.ts';
import { noteLeading } from '#platform/leading.ts';
import type { System } from '#platform/system.ts';

const TIMEOUT_MS = 2_000;
/**
 * A process that is frozen or hangs for this long loses its leadership; a working process sends something every two
 * seconds.
 */
const MAX_SILENCE_MS = 6_000;

/** Whether this process leads, another one does, or the database is unreachable. */
export type Leadership = 'leads' | 'other' | 'unknown';

/** Elects the one process that measures and writes: the holder of an advisory lock, on a dedicated connection. */
export class Leader {
  readonly #system: System;
  #client: pg.Client | null = null;
  #leads = false;

  constructor(system: System) {
    this.#system = system;
  }

  async ask(): Promise<Leadership> {
    try {
      const client = this.#client ?? (await this.#connect());
      const statement = this.#leads ? 'select true as leads' : 'select pg_try_advisory_lock($1) as leads';
      const { rows } = await client.query<{ leads: boolean }>(
        statement,
        this.#leads ? [] : [advisoryLocks.statusLeader],
      );
      this.#leads = rows[0]?.leads === true;
      noteLeading(this.#system, 'status', this.#leads);
      return this.#leads ? 'leads' : 'other';
    } catch (error) {
      this.#system.log.debug({ err: error }, 'status leadership');
      this.#lost();
      return 'unknown';
    }
  }

  /** Gives up the lock; another process takes over when it next tries. */
  async stop(): Promise<void> {
    const client = this.#client;
    this.#lost();
    await client?.end().catch(() => undefined);
  }

  async #connect(): Promise<pg.Client> {
    const client = await connectAlone(this.#system.databaseUrl, {
      name: 'latchkey-status',
      timeoutMs: TIMEOUT_MS,
      silenceMs: MAX_SILENCE_MS,
    });
    client.on('error', () => this.#lost());
    this.#client = client;
    return client;
  }

  #lost(): void {
    const client = this.#client;
    this.#client = null;
    this.#leads = false;
    noteLeading(this.#system, 'status', false);
    client?.end().catch(() => undefined);
  }
}
