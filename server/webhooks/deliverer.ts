import { eventsById } from '#events';
import type { System } from '#platform/system.ts';
import { ATTEMPT_MS, attempt, type Receiver, receiverOf } from './attempt.ts';
import { type EndpointRow, findRow } from './endpoints.ts';
import { noteFailure } from './health.ts';
import { type Claimed, claimDeliveries, type EndpointRef, wakeDueEndpoints } from './queue.ts';
import { Recorder } from './recorder.ts';
import { outcomeOf } from './schedule.ts';

/** Attempts at a healthy endpoint at the same time; one that fails gets fewer, down to one. */
const MOST_LANES = 16;
/** An attempt that was not recorded by then is made again. */
const LEASE_MS = ATTEMPT_MS + 5_000;
const SWEEP_MS = 1_000;
/** For what is under way when the process is told to stop; the rest is made again by others. */
const STOP_MS = 3_000;

/** An endpoint that this process is busy with. */
type Busy = {
  lanes: number;
  running: Set<Promise<void>>;
  /** Resolved when there may be more to do. */
  news: PromiseWithResolvers<void>;
  again: boolean;
};

/**
 * Makes the deliveries of this process. Endpoints do not share anything that one could use up: each has lanes of its own, and
 * a lane waits for its receiver without holding a job or a database connection. What is due stands in the database, with a
 * lease while it is attempted, so a process may die at any moment.
 */
export class Deliverer {
  readonly #system: System;
  readonly #recorder: Recorder;
  readonly #busy = new Map<string, Busy>();
  readonly #ending = new AbortController();
  readonly #sweep: NodeJS.Timeout;
  #sweeping = false;

  constructor(system: System) {
    this.#system = system;
    this.#recorder = new Recorder(system);
    this.#sweep = setInterval(() => this.#lookAround(), SWEEP_MS);
  }

  /** Looks after an endpoint until nothing of it is due. */
  wake(ref: EndpointRef): void {
    if (this.#ending.signal.aborted) return;
    const known = this.#busy.get(ref.endpointId);
    if (known) {
      known.again = true;
      known.news.resolve();
      return;
    }
    const busy: Busy = { lanes: MOST_LANES, running: new Set(), news: Promise.withResolvers(), again: true };
    this.#busy.set(ref.endpointId, busy);
    this.#lookAfter(ref, busy)
      .catch((error: unknown) => this.#system.log.warn({ err: error, ...ref }, 'webhook deliveries put off'))
      .finally(() => this.#leave(ref, busy));
  }

  #leave({ endpointId }: EndpointRef, busy: Busy): void {
    if (this.#busy.get(endpointId) === busy) this.#busy.delete(endpointId);
  }

  /** Attempts under way get a moment to end. */
  async stop(): Promise<void> {
    clearInterval(this.#sweep);
    const running = [...this.#busy.values()].flatMap((busy) => [...busy.running]);
    const timer = setTimeout(() => this.#ending.abort(), STOP_MS);
    for (const { news } of this.#busy.values()) news.resolve();
    await Promise.allSettled(running);
    clearTimeout(timer);
    this.#ending.abort();
  }

  #lookAround(): void {
    if (this.#sweeping) return;
    this.#sweeping = true;
    wakeDueEndpoints(this.#system)
      .catch((error: unknown) => this.#system.log.debug({ err: error }, 'due webhooks not looked for'))
      .finally(() => {
        this.#sweeping = false;
      });
  }

  async #lookAfter(ref: EndpointRef, busy: Busy): Promise<void> {
    while (!this.#ending.signal.aborted) {
      busy.again = false;
      busy.news = Promise.withResolvers();
      // biome-ignore lint/performance/noAwaitInLoops: fills the lanes again when one is free
      await this.#fill(ref, busy);
      if (busy.running.size === 0) {
        if (!busy.again) return this.#leave(ref, busy);
        continue;
      }
      await Promise.race([...busy.running, ...(busy.running.size < busy.lanes ? [busy.news.promise] : [])]);
    }
  }

  /** Takes as many due deliveries as lanes are free. */
  async #fill(ref: EndpointRef, busy: Busy): Promise<void> {
    const free = busy.lanes - busy.running.size;
    if (free <= 0) return;
    const row = await findRow(this.#system, ref);
    const now = this.#system.clock.now();
    if (!row?.enabled || row.deleted_at || (row.paused_until && row.paused_until > now)) return;
    if (row.failing_since) busy.lanes = Math.min(busy.lanes, MOST_LANES / 4);
    const claimed = await claimDeliveries(this.#system, ref, { limit: free, leaseMs: LEASE_MS });
    if (claimed.length === 0) return;
    const logged = claimed.filter(({ body }) => body === null).map(({ event_id }) => event_id);
    const events = await eventsById(this.#system, ref.workspaceId, logged);
    const receiver = receiverOf(this.#system, row);
    for (const one of claimed) {
      const making = this.#make(busy, { row, receiver }, { claimed: one, event: events.get(one.event_id) ?? null })
        .catch((error: unknown) =>
          this.#system.log.warn({ err: error, delivery: one.id }, 'attempt not recorded; it is made again'),
        )
        .finally(() => busy.running.delete(making));
      busy.running.add(making);
    }
  }

  async #make(
    busy: Busy,
    { row, receiver }: { row: EndpointRow; receiver: Receiver },
    delivery: { claimed: Claimed; event: Parameters<typeof attempt>[2]['event'] },
  ): Promise<void> {
    const { claimed } = delivery;
    const made = await attempt(this.#system, receiver, { ...delivery, signal: this.#ending.signal });
    // Given up because this process ends: as if it had not begun.
    if (this.#ending.signal.aborted && made.statusCode === null) return;
    const outcome = outcomeOf(made, claimed.attempt_count + 1, this.#system.clock.now());
    const well = outcome.status === 'delivered';
    busy.lanes = well ? Math.min(MOST_LANES, busy.lanes + 1) : Math.max(1, Math.floor(busy.lanes / 2));
    await this.#recorder.record({ claimed, attempt: made, outcome });
    if (!well) await noteFailure(this.#system, row, { attempt: made, outcome });
  }
}
