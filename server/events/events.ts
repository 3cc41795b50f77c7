import { type Generated, sql } from 'kysely';
import type { Actor, Environment, ResponsibleActor, TxCtx } from '#platform/ctx.ts';
import type { Json } from '#platform/db.ts';
import type { Events, EventType } from '#platform/event.ts';
import { type EventId, newId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import type { Event } from './event-types.ts';
import { wakeDispatcher } from './wake.ts';

/**
 * What an event is counted as, beside what its data says. It is no part of the event: it goes to no receiver and no log,
 * and is emptied when the event is numbered.
 */
export type EventCount = {
  figure: 'sign_ins_by_country' | 'registration_steps';
  key: string;
  /** A date in UTC; the day of the event if absent. */
  day?: string;
};

export type EventsTable = {
  workspace_id: WorkspaceId;
  id: EventId;
  project_id: ProjectId;
  environment: Environment;
  type: string;
  occurred_at: Date;
  actor: Json<Actor>;
  correlation_id: string;
  trace_id: string;
  data: Json<Record<string, unknown>>;
  sequence: Generated<number | null>;
  example: Generated<boolean>;
  counts: Json<readonly EventCount[]> | null;
};

declare module '#platform/db.ts' {
  interface Tables {
    events: EventsTable;
  }
}

/**
 * Writes an event into the log, in the transaction of the change it reports: both commit, or neither.
 * It costs one insert and touches no shared row, so writers never wait for each other.
 */
export async function emit<T extends EventType>(
  tx: TxCtx,
  type: T,
  data: Events[T],
  counts?: readonly EventCount[],
): Promise<void> {
  await insertEvents(tx, [{ type, data, ...(counts && { counts }) }]);
}

/** The actor without permissions and grants: they are private, and would otherwise be in every event. */
export function publicActor(actor: Actor) {
  return actor.kind === 'setup_link' ? { ...actor, maker: publicly(actor.maker) } : publicly(actor);
}

function publicly(actor: ResponsibleActor) {
  if (actor.kind === 'management') return { kind: actor.kind, applicationId: actor.applicationId };
  if (actor.kind === 'customer') {
    const { descent: _through, ...person } = actor;
    return person;
  }
  return actor.kind === 'operator' ? { kind: actor.kind, userId: actor.userId } : actor;
}

/** An event for {@link emitAll}. Without a project, it belongs to the project of the scope. */
export type NewEvent = {
  [T in EventType]: { type: T; data: Events[T]; projectId?: ProjectId; counts?: readonly EventCount[] };
}[EventType];

/** Writes any number of events with one statement, in the order given. */
export async function emitAll(tx: TxCtx, events: readonly NewEvent[]): Promise<void> {
  if (events.length > 0) await insertEvents(tx, events);
}

/**
 * Writes an event that is marked as an example.
 * @returns its id
 */
export async function emitExample(tx: TxCtx, { type, data }: Pick<Event, 'type' | 'data'>): Promise<EventId> {
  const [id] = await insertEvents(tx, [{ type, data }], true);
  if (!id) throw new Error('One event was to be written.');
  return id;
}

/** Up to this many events, a prepared statement with individual values is cheaper; for more, arrays are. */
const MAX_PREPARED_EVENTS = 10;

type NewRow = Record<'type' | 'data' | 'actor', string> & {
  id: EventId;
  project_id: ProjectId;
  example: boolean;
  counts: string | null;
};

async function insertMany(tx: TxCtx, rows: readonly NewRow[]): Promise<void> {
  const { workspaceId, environment } = tx.scope;
  const [first] = rows;
  await sql`insert into events (workspace_id, id, project_id, environment, type, occurred_at, actor, correlation_id, trace_id, data, example, counts)
    select ${workspaceId}, id, project_id, ${environment}, type, ${tx.now}, ${first?.actor}::jsonb, ${tx.trace.correlationId},
      ${tx.trace.traceId}, data::jsonb, ${first?.example}, counts::jsonb
    from unnest(${rows.map(({ id }) => id)}::text[], ${rows.map((row) => row.project_id)}::text[],
      ${rows.map(({ type }) => type)}::text[], ${rows.map(({ data }) => data)}::text[],
      ${rows.map(({ counts }) => counts)}::text[]) as row (id, project_id, type, data, counts)`.execute(tx.db);
}

async function insertEvents(
  tx: TxCtx,
  events: readonly (Pick<NewEvent, 'projectId' | 'counts'> & { type: string; data: Record<string, unknown> })[],
  example = false,
): Promise<EventId[]> {
  const { workspaceId, environment } = tx.scope;
  const rows = events.map(({ type, data, projectId = tx.scope.projectId, counts = [] }) => ({
    workspace_id: workspaceId,
    id: newId('evt', tx.now),
    project_id: projectId,
    environment,
    type,
    occurred_at: tx.now,
    actor: JSON.stringify(publicActor(tx.actor)),
    correlation_id: tx.trace.correlationId,
    trace_id: tx.trace.traceId,
    data: JSON.stringify(data),
    example,
    counts: counts.length > 0 ? JSON.stringify(counts) : null,
  }));
  if (rows.length <= MAX_PREPARED_EVENTS) await tx.db.insertInto('events').values(rows).execute();
  else await insertMany(tx, rows);
  tx.afterCommit(() => wakeDispatcher(tx.system));
  return rows.map(({ id }) => id);
}
