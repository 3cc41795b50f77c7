import type pg from 'pg';
import { advisoryLocks } from '#platform/advisory-locks.ts';
import { connectAlone } from '#platform/connections.ts';
import type { Actor, Environment, Scope } from '#platform/ctx.ts';
import type { EventId, ProjectId, WorkspaceId } from '#platform/ids.ts';
import { noteLeading } from '#platform/leading.ts';
import type { System } from '#platform/system.ts';
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
};

/**
 * Processes numbered events in the transaction that numbers them: both commit, or neither.
 * @param client runs the statements of that transaction
 */
export type Follower = (client: pg.ClientBase, events: readonly NumberedEvent[]) => Promise<void>;

/**
 * Numbers committed events in the order of their scope. One process at a time does it (leader by advisory lock, on a
 * connection of its own), so a reader never sees an event appear before another it has already read.
 */
export class Dispatcher {
  readonly #system: System;
  #client: pg.Client | null = null;
  #leads = false;
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
    noteLeading(this.#system, 'events', false);
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
    const client = await this.#lead();
    if (!client) {
      this.#again = false;
      return;
    }
    while (this.#again && !this.#stopped) {
      this.#again = false;
      // biome-ignore lint/performance/noAwaitInLoops: batches follow one another
      const numbered = await numberBatch(client, this.#followers);
      if (numbered === BATCH) this.#again = true;
    }
    if (this.#stopped) this.#again = false;
  }

  /** @returns the connection that holds the leader lock, or null while another process leads */
  async #lead(): Promise<pg.Client | null> {
    const client = this.#client ?? (await this.#connect());
    if (this.#leads) return client;
    const { rows } = await client.query<{ leads: boolean }>('select pg_try_advisory_lock($1) as leads', [
      advisoryLocks.eventDispatcher,
    ]);
    this.#leads = rows[0]?.leads === true;
    noteLeading(this.#system, 'events', this.#leads);
    return this.#leads ? client : null;
  }

  async #connect(): Promise<pg.Client> {
    const client = await connectAlone(this.#system.databaseUrl, {
      name: 'latchkey-dispatcher',
      timeoutMs: RESPONSE_MS,
      silenceMs: MAX_SILENCE_MS,
    });
    this.#client = client;
    client.on('error', (error) => this.#lost(error));
    client.on('notification', () => this.#wake());
    await client.query(`listen ${EVENTS_CHANNEL}`);
    return client;
  }

  /** The lock is released with the connection; the next sweep reconnects. */
  #lost(error: unknown): void {
    this.#again = false;
    this.#leads = false;
    noteLeading(this.#system, 'events', false);
    const client = this.#client;
    this.#client = null;
    this.#system.log.warn({ err: error }, 'event dispatcher lost its connection');
    client?.end().catch(() => undefined);
  }
}

/**
 * Numbers up to one batch of events of all scopes, and runs the followers. Served by events_unnumbered.
 * @returns the number of events
 */
async function numberBatch(client: pg.Client, followers: readonly Follower[]): Promise<number> {
  await client.query('begin');
  const { rows } = await client.query<NumberedEvent>({ name: 'number-events', text: NUMBER_BATCH, values: [BATCH] });
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
 * per event. Across all workspaces.
 */
const NUMBER_BATCH = `
with batch as (
  select workspace_id, id, project_id, environment, workspace_id || ' ' || project_id || ' ' || environment as scope,
         row_number() over (partition by workspace_id, project_id, environment order by id) as position,
         count(*) over (partition by workspace_id, project_id, environment) as size
  from (select * from events where sequence is null order by id limit $1) waiting
), counters as (
  insert into event_sequences as counter (workspace_id, project_id, environment, last)
  select workspace_id, project_id, environment, count(*) from batch group by workspace_id, project_id, environment
  on conflict (workspace_id, project_id, environment) do update set last = counter.last + excluded.last
  returning workspace_id || ' ' || project_id || ' ' || environment as scope, last
), counted as (
  select jsonb_object_agg(scope, last) as last_of from counters
), numbered as (
  select jsonb_object_agg(id, ((select last_of from counted) ->> scope)::bigint - size + position) as sequence_of from batch
)
update events
set sequence = ((select sequence_of from numbered) ->> id)::bigint
where workspace_id = any (array (select distinct workspace_id from batch)) and id = any (array (select id from batch))
returning workspace_id as "workspaceId", project_id as "projectId", environment, id, type, sequence, occurred_at as "occurredAt",
  actor, correlation_id as "correlationId", data, example`;
