import { selectedTypes } from '#events';
import type { System } from '#platform/system.ts';
import { isClosed } from '#tenancy';
import { sendBatch } from './batches.ts';
import { type Claimed, claimStream, releaseStream, renewClaim, type StreamRef, waitingStreams } from './claims.ts';
import { send } from './destinations.ts';
import { entriesAfter, type LogEntry } from './log-entries.ts';
import { requestsMade } from './metrics.ts';
import { type Failed, postpone, type Settled, settle } from './progress.ts';
import { destinationOf, scopeOf } from './streams.ts';

const SWEEP_MS = 1_000;
/** Streams that this process sends at once. */
const MAX_AT_ONCE = 100;
/** How many batches a stream may send before other streams have their turn. */
const MAX_BATCHES = 50;
/** How long requests in progress may continue when the process stops. */
const STOP_MS = 3_000;

/**
 * Sends log streams. The row of a stream has the position that it has reached, and is claimed while a process sends it. If
 * this process dies, another one continues from the position and repeats the last request.
 */
export class Streamer {
  readonly #system: System;
  readonly #sweep: NodeJS.Timeout;
  readonly #ending = new AbortController();
  readonly #running = new Map<string, Promise<void>>();
  #sweeping: Promise<void> | null = null;
  #stopping = false;

  constructor(system: System) {
    this.#system = system;
    this.#sweep = setInterval(() => this.#lookAround(), SWEEP_MS);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#sweep);
    await this.#sweeping;
    const timer = setTimeout(() => this.#ending.abort(), STOP_MS);
    await Promise.all(this.#running.values());
    clearTimeout(timer);
  }

  #lookAround(): void {
    this.#sweeping ??= this.#begin()
      .catch((error: unknown) => this.#system.log.debug({ err: error }, 'waiting log streams were not looked up'))
      .finally(() => {
        this.#sweeping = null;
      });
  }

  async #begin(): Promise<void> {
    for (const ref of await waitingStreams(this.#system)) {
      if (this.#stopping || this.#running.size >= MAX_AT_ONCE) return;
      if (this.#running.has(ref.id)) continue;
      const running = this.#run(ref)
        .catch((error: unknown) => this.#system.log.warn({ err: error, ...ref }, 'log stream postponed'))
        .finally(() => this.#running.delete(ref.id));
      this.#running.set(ref.id, running);
    }
  }

  async #run(ref: StreamRef): Promise<void> {
    const row = await claimStream(this.#system, ref);
    if (!row) return;
    try {
      for (let batch = 0; batch < MAX_BATCHES && !this.#stopping; batch += 1) {
        // biome-ignore lint/performance/noAwaitInLoops: batches follow one another
        if (!(await this.#sendNext(row))) return;
      }
    } finally {
      await releaseStream(this.#system, row);
    }
  }

  /** @returns whether there may be more to send now */
  async #sendNext(row: Claimed): Promise<boolean> {
    const system = this.#system;
    const actions = row.types.includes('*') ? null : selectedTypes({ system }, row.types);
    const { entries, reached } = await entriesAfter(system, scopeOf(row), { after: row.position, actions });
    const destination = destinationOf(system.keyring, row);
    const sender = {
      proceed: async () =>
        !this.#stopping && !(await isClosed(system, scopeOf(row))) && (await renewClaim(system, row)),
      send: async (some: readonly LogEntry[]) => {
        const verdict = await send(system, destination, { entries: some, signal: this.#ending.signal });
        requestsMade.count(system, { result: verdict.kind });
        return verdict;
      },
      settle: (settled: Settled) => settle(system, row, settled),
      postpone: async (failed: Failed) => {
        // Aborted because this process stops: not a fault of the destination.
        if (!this.#ending.signal.aborted) await postpone(system, row, failed);
      },
    };
    if (!(await sendBatch(sender, entries))) return false;
    if (reached > row.position) return settle(system, row, { position: reached, sent: 0, refused: [] });
    return entries.length > 0;
  }
}
