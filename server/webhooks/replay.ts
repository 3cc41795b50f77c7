import type { Task } from 'graphile-worker';
import { sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { type Event, EventPattern, emit, readEvents, requireKnownPatterns, selectedTypes } from '#events';
import { type Ctx, systemCtx, type TxCtx, transaction } from '#platform/ctx.ts';
import { type EventId, IdSchema } from '#platform/ids.ts';
import { Instant, instantOf } from '#platform/instants.ts';
import { addJob } from '#platform/jobs.ts';
import { limitKey, limits } from '#platform/limits.ts';
import { problem, problemWithRetry } from '#platform/problem.ts';
import type { System } from '#platform/system.ts';
import { type EndpointId, type EndpointRow, findRow, getEndpoint, lockEndpoint } from './endpoints.ts';
import { type NewDelivery, queueDeliveries } from './queue.ts';

export const Replay = Type.Object(
  {
    since: Instant,
    until: Type.Optional(Type.String({ format: 'date-time', description: 'Now when absent.' })),
    types: Type.Optional(
      Type.Array(EventPattern, {
        minItems: 1,
        maxItems: 100,
        description: 'Event types or groups; what the endpoint selects when absent.',
      }),
    ),
  },
  { additionalProperties: false },
);
export const Recovery = Type.Object({ since: Instant }, { additionalProperties: false });

const Work = Type.Object({
  workspaceId: IdSchema('wrk'),
  projectId: IdSchema('prj'),
  environment: Type.Enum(['test', 'production']),
  endpointId: IdSchema('whe'),
  trigger: Type.Enum(['replay', 'recovery']),
  since: Type.String(),
  until: Type.String(),
  types: Type.Array(Type.String()),
  after: Type.Integer(),
});
type Work = Static<typeof Work>;

declare module '#platform/jobs.ts' {
  interface Jobs {
    replay_webhooks: Work;
  }
}

/**
 * Sends the events of a time range to an endpoint again, under their own ids; any endpoint, also one that is new.
 * @throws Problem NOT_FOUND, CONFLICT while it is disabled, VALIDATION_FAILED
 */
export async function replay(ctx: Ctx, id: EndpointId, { since, until, types }: Static<typeof Replay>): Promise<void> {
  if (types) requireKnownPatterns(types, '/body/types');
  const end = until ?? justAfter(ctx.now);
  if (instantOf(end) <= instantOf(since))
    throw problem('VALIDATION_FAILED', {
      extensions: { errors: [{ pointer: '/body/until', message: 'must be after `since`' }] },
    });
  await takeTurn(ctx, id);
  await transaction(ctx, async (tx) => {
    const endpoint = await enabledEndpoint(tx, id);
    await begin(tx, endpoint, { trigger: 'replay', since, until: end, types: types ?? endpoint.events });
    await emit(tx, 'webhook.endpoint.replayed', { endpointId: id, url: endpoint.url, since, until: end });
  });
}

/**
 * Sends what an endpoint has missed since then: events it selects that were neither delivered to it nor are still to be.
 * @throws Problem NOT_FOUND, CONFLICT while it is disabled, RATE_LIMIT_EXCEEDED
 */
export async function recover(ctx: Ctx, id: EndpointId, { since }: Static<typeof Recovery>): Promise<void> {
  await takeTurn(ctx, id);
  await transaction(ctx, async (tx) => {
    const endpoint = await enabledEndpoint(tx, id);
    const until = justAfter(tx.now);
    await begin(tx, endpoint, { trigger: 'recovery', since, until, types: endpoint.events });
    await emit(tx, 'webhook.endpoint.recovered', { endpointId: id, url: endpoint.url, since });
  });
}

const turns = limits({ 'webhook-replay': { points: 10, seconds: 3_600 } });

/**
 * Each replay may queue every event there is, for an endpoint that others share the workers with.
 * @throws Problem NOT_FOUND, RATE_LIMIT_EXCEEDED beyond ten replays and recoveries of an endpoint in an hour
 */
async function takeTurn(ctx: Ctx, id: EndpointId): Promise<void> {
  await getEndpoint(ctx, id);
  const taken = await turns(ctx.system)['webhook-replay'].take(ctx, limitKey(id));
  if (!taken.allowed) throw problemWithRetry('RATE_LIMIT_EXCEEDED', taken.retryAfter);
}

/** What happens at this very moment is included. */
function justAfter(now: Date): string {
  return new Date(now.getTime() + 1).toISOString();
}

async function enabledEndpoint(tx: TxCtx, id: EndpointId): Promise<EndpointRow> {
  const endpoint = await lockEndpoint(tx, id);
  if (!endpoint.enabled) throw problem('CONFLICT', 'The endpoint is disabled; enable it first.');
  return endpoint;
}

function begin(tx: TxCtx, endpoint: EndpointRow, work: Pick<Work, 'trigger' | 'since' | 'until' | 'types'>) {
  return addJob(tx, 'replay_webhooks', { ...tx.scope, endpointId: endpoint.id, after: 0, ...work });
}

/** Events of one transaction. */
const CHUNK = 500;
const work = Compile(Work);

/** Queues the deliveries of a replay, a chunk with the job for the next in one transaction, so that none is queued twice. */
export function replayTask(system: System): Task {
  return async (payload, { job }) => {
    const { workspaceId, projectId, environment, ...rest } = work.Parse(payload);
    const ctx = systemCtx(system, { workspaceId, projectId, environment }, 'webhooks', `replay-${job.id}`);
    const endpoint = await findRow(system, { workspaceId, endpointId: rest.endpointId });
    if (!endpoint?.enabled) return;
    const { events, reached, more } = await readEvents(ctx, {
      after: rest.after,
      types: selectedTypes(rest.types),
      since: instantOf(rest.since),
      until: instantOf(rest.until),
      limit: CHUNK,
    });
    await transaction(ctx, async (tx) => {
      const wanted = rest.trigger === 'replay' ? events : await missedOf(tx, rest.endpointId, events);
      await queueDeliveries(
        tx,
        wanted.map((event) => deliveryOf(tx, rest, event)),
      );
      if (more) await addJob(tx, 'replay_webhooks', { ...tx.scope, ...rest, after: reached });
    });
  };
}

function deliveryOf(
  { scope }: TxCtx,
  { endpointId, trigger }: Pick<Work, 'endpointId' | 'trigger'>,
  event: Event,
): NewDelivery {
  return { scope, endpointId, trigger, eventId: eventIdOf(event), eventType: event.type, body: null };
}

function eventIdOf({ id }: Event): EventId {
  return `evt_${id.slice(4)}`;
}

/** The events that were neither delivered to the endpoint nor wait to be. Served by webhook_deliveries_of_event. */
async function missedOf(tx: TxCtx, endpointId: EndpointId, events: readonly Event[]): Promise<Event[]> {
  if (events.length === 0) return [];
  const taken = await tx.db
    .selectFrom('webhook_deliveries')
    .select('event_id')
    .where('workspace_id', '=', tx.scope.workspaceId)
    .where(sql<boolean>`event_id = any(${events.map(eventIdOf)}::text[])`)
    .where('endpoint_id', '=', endpointId)
    .where('status', 'in', ['pending', 'retrying', 'delivered'])
    .execute();
  const known = new Set<string>(taken.map(({ event_id }) => event_id));
  return events.filter(({ id }) => !known.has(id));
}
