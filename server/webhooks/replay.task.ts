import { setTimeout as pause } from 'node:timers/promises';
import type { Task } from 'graphile-worker';
import { sql } from 'kysely';
import { Compile } from 'typebox/compile';
import { areUnnumbered, type Event, readEvents, selectedTypes } from '#events';
import { type Ctx, systemCtx, type TxCtx, transaction } from '#platform/ctx.ts';
import type { EventId } from '#platform/ids.ts';
import { instantOf } from '#platform/instants.ts';
import { addJob } from '#platform/jobs.ts';
import type { System } from '#platform/system.ts';
import { isAbout } from './audience.ts';
import { type EndpointId, lockRow } from './endpoints.ts';
import { type NewDelivery, queueDeliveries } from './queue.ts';
import { ReplayWork } from './replay.ts';

/** Events per transaction. */
const CHUNK = 500;
const work = Compile(ReplayWork);

const PAUSE_MS = 100;
/** The longest wait for numbers in one run; the job is retried afterwards. */
const MAX_WAIT_MS = 5_000;

/**
 * Queues the deliveries of a replay. Each chunk and the job for the next one commit together, so none is queued twice.
 */
export function replayTask(system: System): Task {
  return async (payload, { job }) => {
    const { workspaceId, projectId, environment, ...rest } = work.Parse(payload);
    const ctx = systemCtx(system, { workspaceId, projectId, environment }, 'webhooks', `replay-${job.id}`);
    if (rest.after === 0) await untilNumbered(ctx, instantOf(rest.until));
    const { events, reached, more } = await readEvents(ctx, {
      after: rest.after,
      types: selectedTypes(ctx, rest.types),
      since: instantOf(rest.since),
      until: instantOf(rest.until),
      limit: CHUNK,
    });
    await transaction(ctx, async (tx) => {
      // Without the lock, parallel recoveries would find the same events missing.
      const endpoint = await lockRow(tx, rest.endpointId);
      if (!endpoint?.enabled) return;
      const theirs = events.filter((event) => isAbout(endpoint.organization_id, event));
      const wanted = rest.trigger === 'replay' ? theirs : await missedOf(tx, rest.endpointId, theirs);
      await queueDeliveries(
        tx,
        wanted.map((event) => deliveryOf(tx, rest, event)),
      );
      if (more) await addJob(tx, 'replay_webhooks', { ...tx.scope, ...rest, after: reached });
    });
  };
}

/**
 * The numbering of an event decides who receives it, and may have done so just before the endpoint was enabled. Later
 * events reach the endpoint by themselves.
 * @throws Error when it takes too long, so that the job is retried
 */
async function untilNumbered(ctx: Ctx, until: Date): Promise<void> {
  // biome-ignore lint/performance/noAwaitInLoops: it looks again after a pause
  for (let waited = 0; await areUnnumbered(ctx, until); waited += PAUSE_MS) {
    if (waited >= MAX_WAIT_MS) throw new Error('Events of the range have no numbers yet.');
    await pause(PAUSE_MS);
  }
}

function deliveryOf(
  { scope }: TxCtx,
  { endpointId, trigger }: Pick<ReplayWork, 'endpointId' | 'trigger'>,
  event: Event,
): NewDelivery {
  return { scope, endpointId, trigger, eventId: eventIdOf(event), eventType: event.type, body: null };
}

function eventIdOf({ id }: Event): EventId {
  return `evt_${id.slice(4)}`;
}

/**
 * The events that were neither delivered to the endpoint nor wait for delivery. Served by webhook_deliveries_of_event.
 */
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
