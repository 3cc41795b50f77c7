import { type Event, traceIdsOf } from '#events';
import { isLeading } from '#platform/leading.ts';
import type { System } from '#platform/system.ts';
import { beginTrace, type Parent, parentOf, runAt, traced } from '#platform/trace.ts';
import { isClosed } from '#tenancy';
import { ATTEMPT_MS, attempt, type Protocol, type Receiver, receiverOf } from './attempt.ts';
import { type EndpointRow, findRow } from './endpoints.ts';
import { noteFailure } from './health.ts';
import { loggedEvents } from './logged-events.ts';
import { attemptDurations, attemptsMade } from './metrics.ts';
import { type Claimed, claimDeliveries, type EndpointRef, releaseDeliveries, wakeDueEndpoints } from './queue.ts';
import { Recorder } from './recorder.ts';
import { type Attempted, type Outcome, outcomeOf } from './schedule.ts';

/** Concurrent attempts at a healthy endpoint; a failing endpoint gets fewer, down to one. */
const MAX_LANES = 16;
/** Deliveries of a healthy endpoint that are claimed ahead, so that no lane waits for the database. */
const AHEAD = 64;
/** How many finished attempts may wait to be recorded. */
const MAX_UNRECORDED = 256;
/** An attempt that is not recorded by the end of the lease is repeated. */
const LEASE_MS = ATTEMPT_MS + 5_000;
const SWEEP_MS = 1_000;
/** Looking for due deliveries takes at most a tenth of the time, unless a delivery would wait longer than this. */
const MAX_REST_MS = 10_000;
/** How long attempts in progress may continue when the process stops; other processes repeat the rest. */
const STOP_MS = 3_000;

/** The state of an endpoint that this process delivers to. */
type Busy = {
  lanes: number;
  /** Claimed but not started; all from one claim. */
  held: Ready[];
  sending: number;
  /** Started but not recorded. */
  running: Set<Promise<void>>;
  /** Resolved when there may be more to do. */
  news: PromiseWithResolvers<void>;
  /** True if the endpoint was woken since the last claim. If not, only a claim that was full leaves more due. */
  again: boolean;
};

/** A claimed delivery with the data to make it. */
type Ready = { row: EndpointRow; receiver: Receiver; claimed: Claimed; event: Event | null; parent: Parent };

/** True if more deliveries may be due, and there is room to claim them. */
function mayTake({ again, held, sending, lanes, running }: Busy): boolean {
  return again && held.length === 0 && sending < lanes && running.size < MAX_UNRECORDED;
}

/**
 * Makes the deliveries of this process. Endpoints share no exhaustible resource: each has lanes of its own, and a lane
 * waits for its receiver without holding a job or a database connection. Due deliveries are rows, leased while they are
 * attempted, so a process may die at any moment.
 */
export class Deliverer {
  readonly #system: System;
  readonly #protocols: Readonly<Record<string, Protocol>>;
  readonly #recorder: Recorder;
  readonly #busy = new Map<string, Busy>();
  readonly #ending = new AbortController();
  readonly #sweep: NodeJS.Timeout;
  #sweeping = false;
  /** When due deliveries are looked for again, by `performance.now()`. */
  #restingUntil = 0;
  #stopping = false;
  /** One loop for each active endpoint. */
  readonly #loops = new Set<Promise<void>>();

  /** @param protocols of the receivers of other parts, by their purpose */
  constructor(system: System, protocols: Readonly<Record<string, Protocol>> = {}) {
    this.#system = system;
    this.#protocols = protocols;
    this.#recorder = new Recorder(system);
    this.#sweep = setInterval(() => this.#lookAround(), SWEEP_MS);
  }

  /** Processes an endpoint until none of its deliveries is due. */
  wake(ref: EndpointRef): void {
    if (this.#stopping) return;
    const known = this.#busy.get(ref.endpointId);
    if (known) {
      known.again = true;
      known.news.resolve();
      return;
    }
    const busy: Busy = {
      lanes: MAX_LANES,
      held: [],
      sending: 0,
      running: new Set(),
      news: Promise.withResolvers(),
      again: true,
    };
    this.#busy.set(ref.endpointId, busy);
    const loop = this.#lookAfter(ref, busy)
      .catch((error: unknown) => this.#system.log.warn({ err: error, ...ref }, 'webhook deliveries postponed'))
      .finally(() => {
        this.#loops.delete(loop);
        this.#leave(ref, busy);
      });
    this.#loops.add(loop);
  }

  #leave({ endpointId }: EndpointRef, busy: Busy): void {
    if (this.#busy.get(endpointId) === busy) this.#busy.delete(endpointId);
  }

  /** Attempts in progress get a moment to finish; deliveries that were claimed but not started are released. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#sweep);
    const all = [...this.#busy.values()];
    const timer = setTimeout(() => this.#ending.abort(), STOP_MS);
    for (const { news } of all) news.resolve();
    await Promise.allSettled([...this.#loops, ...all.flatMap((busy) => [...busy.running])]);
    clearTimeout(timer);
  }

  /** One process looks for the whole installation; any may then deliver. */
  #lookAround(): void {
    const began = performance.now();
    if (this.#sweeping || began < this.#restingUntil || !isLeading(this.#system, 'events')) return;
    this.#sweeping = true;
    wakeDueEndpoints(this.#system)
      .catch((error: unknown) => this.#system.log.debug({ err: error }, 'due webhooks were not looked up'))
      .finally(() => {
        this.#sweeping = false;
        const now = performance.now();
        this.#restingUntil = now + Math.min(9 * (now - began), MAX_REST_MS);
      });
  }

  async #lookAfter(ref: EndpointRef, busy: Busy): Promise<void> {
    while (!this.#stopping) {
      busy.news = Promise.withResolvers();
      // biome-ignore lint/performance/noAwaitInLoops: claims more when there is room
      if (mayTake(busy)) await this.#take(ref, busy);
      this.#begin(busy);
      if (mayTake(busy)) continue;
      if (busy.running.size === 0 && busy.held.length === 0) return this.#leave(ref, busy);
      await busy.news.promise;
    }
    await releaseDeliveries(
      this.#system,
      busy.held.map(({ claimed }) => claimed),
    );
  }

  /** Claims due deliveries: of a healthy endpoint some ahead, of a failing one no more than its lanes can start now. */
  async #take(ref: EndpointRef, busy: Busy): Promise<void> {
    busy.again = false;
    const row = await findRow(this.#system, ref);
    if (!row || (await this.#isClosed(row))) return;
    const limit = busy.lanes === MAX_LANES ? AHEAD : busy.lanes - busy.sending;
    const claimed = await claimDeliveries(this.#system, ref, { limit, leaseMs: LEASE_MS });
    if (claimed.length === limit) busy.again = true;
    if (claimed.length === 0) return;
    if (row.failing_since) busy.lanes = Math.min(busy.lanes, MAX_LANES / 4);
    const logged = claimed.filter(({ body }) => body === null).map(({ event_id }) => event_id);
    const events = await loggedEvents(this.#system).get(ref.workspaceId, logged);
    const receiver = receiverOf(this.#system, row, this.#protocols[row.purpose]);
    const ids = claimed.map(({ event_id }) => event_id);
    const traces = this.#system.tracer && (await traceIdsOf(this.#system, ref.workspaceId, ids));
    busy.held = claimed.map((one) => {
      const parent = parentOf(traces?.get(one.event_id));
      return { row, receiver, claimed: one, event: events.get(one.event_id) ?? null, parent };
    });
  }

  /** A closed project sends nothing; its deliveries wait until it is restored. */
  async #isClosed({ workspace_id: workspaceId, project_id: projectId }: EndpointRow): Promise<boolean> {
    return isClosed(this.#system, { workspaceId, projectId });
  }

  /** Starts attempts in the free lanes. */
  #begin(busy: Busy): void {
    while (busy.sending < busy.lanes && !this.#stopping) {
      const ready = busy.held.shift();
      if (!ready) return;
      busy.sending += 1;
      const making = this.#makeInTrace(busy, ready).finally(() => {
        busy.running.delete(making);
        busy.news.resolve();
      });
      busy.running.add(making);
    }
  }

  /** Makes a delivery as part of the trace of the request that emitted its event. */
  #makeInTrace(busy: Busy, ready: Ready): Promise<void> {
    const { tracer, log } = this.#system;
    const place = beginTrace(tracer, { name: 'deliver webhook', kind: 'consumer' }, ready.parent);
    return runAt(place, () =>
      traced(place, () => this.#make(busy, ready)).catch((error: unknown) =>
        log.warn({ err: error, delivery: ready.claimed.id }, 'attempt not recorded; it is made again'),
      ),
    );
  }

  async #make(busy: Busy, ready: Ready): Promise<void> {
    const { claimed, row, receiver } = ready;
    const attempted = await this.#attempt(ready).finally(() => {
      busy.sending -= 1;
    });
    if (attempted === null) return;
    const outcome = outcomeOf(attempted, claimed.attempt_count + 1, this.#system.clock.now());
    countAttempt(this.#system, attempted, outcome);
    const well = outcome.status === 'delivered';
    busy.lanes = well ? Math.min(MAX_LANES, busy.lanes + 1) : Math.max(1, Math.floor(busy.lanes / 2));
    const left = well ? [] : busy.held.splice(0).map((one) => one.claimed);
    this.#begin(busy);
    if (mayTake(busy)) busy.news.resolve();
    await Promise.all([
      this.#recorder.record({ claimed, attempt: attempted, outcome }),
      releaseDeliveries(this.#system, left),
    ]);
    if (left.length > 0) busy.again = true;
    if (!well) await noteFailure(this.#system, row, { attempt: attempted, outcome, protocol: receiver.protocol });
  }

  /**
   * @returns null if no attempt counts: the project is closed, or this process stops
   * @throws if the database is away; the delivery is attempted when its lease has expired
   */
  async #attempt(ready: Ready): Promise<Attempted | null> {
    const { claimed, row, receiver } = ready;
    if (await this.#isClosed(row)) {
      await releaseDeliveries(this.#system, [claimed]);
      return null;
    }
    const attempted = await attempt(this.#system, receiver, { ...ready, signal: this.#ending.signal });
    return this.#ending.signal.aborted && attempted.statusCode === null ? null : attempted;
  }
}

function countAttempt(system: System, { durationMs }: Attempted, { status }: Outcome): void {
  attemptsMade.count(system, { result: status });
  attemptDurations.observe(system, {}, durationMs / 1000);
}
