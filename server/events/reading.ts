import type { Selectable } from 'kysely';
import type { Ctx, Scope } from '#platform/ctx.ts';
import type { EventId, WorkspaceId } from '#platform/ids.ts';
import { prepared } from '#platform/prepared.ts';
import type { System } from '#platform/system.ts';
import type { Event } from './event-types.ts';
import { type EventsTable, publicActor } from './events.ts';

type Row = Selectable<EventsTable>;

/** An event as receivers and readers get it. */
function eventOf(row: Omit<Row, 'trace_id' | 'counts'>): Event {
  const occurredAt = row.occurred_at.toISOString();
  return {
    id: row.id,
    type: row.type,
    occurredAt,
    timestamp: occurredAt,
    sequence: row.sequence,
    workspaceId: row.workspace_id,
    projectId: row.project_id,
    environment: row.environment,
    actor: publicActor(row.actor),
    correlationId: row.correlation_id,
    ...(row.example && { example: true as const }),
    data: row.data,
  };
}

const COLUMNS = `workspace_id, id, project_id, environment, type, occurred_at, actor, correlation_id, data, sequence, example`;

const byId = prepared<Row>(
  'events-by-id',
  `select ${COLUMNS} from events where workspace_id = $1 and id = any($2::text[])`,
);

/** Events by id; unknown ids are missing from the result. Served by the primary key. */
export async function eventsById(
  system: System,
  workspaceId: WorkspaceId,
  ids: readonly EventId[],
): Promise<Map<string, Event>> {
  const { rows } = await byId(system, [workspaceId, ids]);
  return new Map(rows.map((row) => [row.id, eventOf(row)]));
}

const traceIds = prepared<{ id: EventId; trace_id: string }>(
  'trace-ids-of-events',
  `select id, trace_id from events where workspace_id = $1 and id = any($2::text[])`,
);

/** The id of the trace in which each event was emitted. Served by the primary key. */
export async function traceIdsOf(
  system: System,
  workspaceId: WorkspaceId,
  ids: readonly EventId[],
): Promise<Map<EventId, string>> {
  const { rows } = await traceIds(system, [workspaceId, ids]);
  return new Map(rows.map(({ id, trace_id }) => [id, trace_id]));
}

const inOrder = prepared<Row & { last: number | null }>(
  'events-in-order',
  `select ${COLUMNS.replaceAll(/(\w+)/g, 'e.$1')}, counter.last
   from (values ($1::text, $2::text, $3::text)) as scope (workspace_id, project_id, environment)
   left join event_sequences counter using (workspace_id, project_id, environment)
   left join lateral (
     select * from events
     where events.workspace_id = scope.workspace_id and events.project_id = scope.project_id
       and events.environment = scope.environment and sequence > $4
       and ($5::text[] is null or type = any($5)) and ($6::timestamptz is null or occurred_at >= $6)
       and ($7::timestamptz is null or occurred_at < $7)
     order by sequence limit $8) e on true`,
);

/** A range of events of a scope: after a sequence, of some types (null: all), within a time range. */
export type EventRange = {
  after: number;
  types: readonly string[] | null;
  since?: Date | null;
  until?: Date | null;
  limit: number;
};

/**
 * Reads events in order of their numbers. It takes one statement and so one snapshot: no event with a number up to
 * `reached` can appear later. Served by events_in_order.
 * @returns `reached`: the cursor to continue from; `more`: whether the limit cut the result
 */
export async function readEvents(
  { system, scope }: { system: System; scope: Scope },
  range: EventRange,
): Promise<{ events: Event[]; reached: number; more: boolean }> {
  const { workspaceId, projectId, environment } = scope;
  const { rows } = await inOrder(system, [
    workspaceId,
    projectId,
    environment,
    range.after,
    range.types,
    range.since ?? null,
    range.until ?? null,
    range.limit + 1,
  ]);
  const found = rows.filter((row) => row.id !== null);
  const events = found.slice(0, range.limit).map(eventOf);
  const more = found.length > range.limit;
  const last = more ? events.at(-1)?.sequence : rows[0]?.last;
  return { events, reached: Math.max(range.after, last ?? 0), more };
}

const unnumbered = prepared<{ waiting: boolean }>(
  'unnumbered-events',
  `select exists (select from events where sequence is null and workspace_id = $1 and project_id = $2
     and environment = $3 and occurred_at < $4) as waiting`,
);

/** Whether committed events of the scope wait for their number, so that {@link readEvents} leaves them out. */
export async function areUnnumbered({ system, scope }: Pick<Ctx, 'system' | 'scope'>, until: Date): Promise<boolean> {
  const { workspaceId, projectId, environment } = scope;
  const { rows } = await unnumbered(system, [workspaceId, projectId, environment, until]);
  return rows[0]?.waiting ?? false;
}

const counter = prepared<{ last: number }>(
  'last-sequence',
  'select last from event_sequences where workspace_id = $1 and project_id = $2 and environment = $3',
);

/** The newest sequence of the scope; 0 before its first event. */
export async function lastSequence({ system, scope }: Pick<Ctx, 'system' | 'scope'>): Promise<number> {
  const { rows } = await counter(system, [scope.workspaceId, scope.projectId, scope.environment]);
  return rows[0]?.last ?? 0;
}
