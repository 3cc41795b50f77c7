import type pg from 'pg';
import { connectAlone } from '#platform/connections.ts';
import type { Actor, Environment, Scope } from '#platform/ctx.ts';
import type { EventId, ProjectId, WorkspaceId } from '#platform/ids.ts';
import { noteLeading } from '#platform/leading.ts';
import { isDivided } from '#platform/prepared.ts';
import type { System } from '#platform/system.ts';
import type { EventCount } from './events.ts';
import { IN_GROUPS, Leadership, type Led } from './leadership.ts';
import { announceNumbered } from './waiting.ts';
import { EVENTS_CHANNEL } from './wake.ts';

type EventSequencesTable = { workspace_id: WorkspaceId; project_id: ProjectId; environment: Environment; last: number };

declare module '#platform/db.ts' {
  interface Tables {
    event_sequences: EventSequencesTable;
  }
}

const BATCH = 1_000;
const SWEEP_MS = 1_000;
/** How often a leader compares what it leads with its share. */
const SEEK_MS = 900;
/**
 * A process that is frozen or hangs for this long loses its leadership; a working process sends something every second.
 */
const MAX_SILENCE_MS = 6_000;
/** The timeout of one statement about a batch; on a busy database a batch takes a second. */
const RESPONSE_MS = 30_000;

/** An event that has just been numbered within its scope. */
export type NumberedEvent = Scope & {
  id: EventId;
  type: string;
  sequence: number;
  occurredAt: Date;
  actor: Actor;
  correlationId: string;
  data: Record<string, unknown>;
  example: boolean;
  counts: readonly EventCount[] | null;
};

/**
 * Processes numbered events in the transaction that numbers them: both commit, or neither.
 * @param client runs the statements of that transaction
 */
export type Follower = (client: pg.ClientBase, events: readonly NumberedEvent[]) => Promise<void>;

/**
 * Numbers committed events in the order of their scope. One process at a time does it for a scope (leader by advisory lock,
 * on a connection of its own), so a reader never sees an event appear before another it has already read.
 */
export class Dispatcher {
  readonly #system: System;
  #client: pg.Client | null = null;
  #leadership: Leadership | null = null;
  #sought = Number.NEGATIVE_INFINITY;
  #working: Promise<void> | null = null;
  #again = false;
  #stopped = false;
  readonly #sweep: NodeJS.Timeout;
  readonly #followers: readonly Follower[];

  constructor(system: System, followers: readonly Follower[] = []) {
    this.#system = system;
    this.#followers = followers;
    this.#sweep = setInterval(() => this.#wake(), SWEEP_MS);
    this.#wake();
  }

  /** Ends after the batch in progress; another process takes over. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#sweep);
    await this.#working;
    this.#note([]);
    await this.#client?.end().catch(() => undefined);
  }

  #wake(): void {
    this.#again = true;
    if (this.#working || this.#stopped) return;
    this.#working = this.#work()
      .catch((error: unknown) => this.#lost(error))
      .finally(() => {
        this.#working = null;
        if (this.#again) this.#wake();
      });
  }

  async #work(): Promise<void> {
    const client = this.#client ?? (await this.#connect());
    let led = await this.#lead();
    if (led.length === 0) this.#again = false;
    while (this.#again && !this.#stopped) {
      this.#again = false;
      // biome-ignore lint/performance/noAwaitInLoops: batches follow one another
      const numbered = await numberBatch(client, led, this.#followers);
      if (numbered === BATCH) this.#again = true;
      led = await this.#lead();
      if (led.length === 0) return;
    }
    if (this.#stopped) this.#again = false;
  }

  /** @returns what this process leads: nothing while others lead */
  async #lead(): Promise<Led> {
    const leadership = this.#leadership;
    if (!leadership) throw new Error('The connection of the dispatcher was lost.');
    const now = performance.now();
    if (now - this.#sought < SEEK_MS) return leadership.led;
    this.#sought = now;
    const led = await leadership.seek();
    this.#note(led);
    return led;
  }

  /** The process that leads the first group stands for all in what one process does for the installation. */
  #note(led: Led): void {
    noteLeading(this.#system, 'events', led === 'all' || led.includes(0));
  }

  async #connect(): Promise<pg.Client> {
    const divided = await isDivided(this.#system);
    const client = await connectAlone(this.#system.databaseUrl, {
      name: 'latchkey-dispatcher',
      timeoutMs: RESPONSE_MS,
      silenceMs: MAX_SILENCE_MS,
    });
    this.#client = client;
    this.#leadership = new Leadership(client, { divided });
    this.#sought = Number.NEGATIVE_INFINITY;
    client.on('error', (error) => this.#lost(error));
    client.on('notification', () => this.#wake());
    await client.query(`listen ${EVENTS_CHANNEL}`);
    return client;
  }

  /** The lock is released with the connection; the next sweep reconnects. */
  #lost(error: unknown): void {
    this.#again = false;
    this.#leadership = null;
    this.#note([]);
    const client = this.#client;
    this.#client = null;
    this.#system.log.warn({ err: error }, 'event dispatcher lost its connection');
    client?.end().catch(() => undefined);
  }
}

/**
 * Numbers up to one batch of events of the scopes that are led, and runs the followers. Served by events_unnumbered.
 * @returns the number of events
 */
async function numberBatch(client: pg.Client, led: Led, followers: readonly Follower[]): Promise<number> {
  await client.query('begin');
  const { rows } = await client.query<NumberedEvent>(
    led === 'all'
      ? { name: 'number-events', text: NUMBER_ALL, values: [BATCH] }
      : { name: 'number-groups', text: NUMBER_GROUPS, values: [BATCH, led] },
  );
  if (rows.length > 0) {
    const events = rows.sort((a, b) => a.sequence - b.sequence);
    for (const follow of followers) {
      // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
      await follow(client, events);
    }
    await client.query(announceNumbered(events));
  }
  await client.query('commit');
  return rows.length;
}

/**
 * One statement, so counters and events change atomically. The numbers are looked up in a JSON object, and arrays keep
 * the update on the primary key: with a join, a planner without statistics may scan the whole log, or the batch once
 * per event. Citus takes no other statement in what an update returns. Across all workspaces.
 */
const numberBatchOf = (which: string) => `
with batch as (
  select workspace_id, id, project_id, environment, counts, workspace_id || ' ' || project_id || ' ' || environment as scope,
         row_number() over (partition by workspace_id, project_id, environment order by id) as position,
         count(*) over (partition by workspace_id, project_id, environment) as size
  from (select * from events where sequence is null ${which} order by id limit $1) waiting
), counters as (
  insert into event_sequences as counter (workspace_id, project_id, environment, last)
  select workspace_id, project_id, environment, count(*) from batch group by workspace_id, project_id, environment
  on conflict (workspace_id, project_id, environment) do update set last = counter.last + excluded.last
  returning workspace_id || ' ' || project_id || ' ' || environment as scope, last
), counted as (
  select jsonb_object_agg(scope, last) as last_of from counters
), numbered as (
  select jsonb_object_agg(id, ((select last_of from counted) ->> scope)::bigint - size + position) as sequence_of,
    jsonb_object_agg(id, counts) filter (where counts is not null) as counts_of from batch
), updated as (
update events
set sequence = ((select sequence_of from numbered) ->> id)::bigint, counts = null
where workspace_id = any (array (select distinct workspace_id from batch)) and id = any (array (select id from batch))
returning workspace_id as "workspaceId", project_id as "projectId", environment, id, type, sequence, occurred_at as "occurredAt",
  actor, correlation_id as "correlationId", data, example
)
select updated.*, (select counts_of from numbered) -> id as counts from updated`;

const NUMBER_ALL = numberBatchOf('');
const NUMBER_GROUPS = numberBatchOf(`and ${IN_GROUPS}`);
