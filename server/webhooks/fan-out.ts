import type pg from 'pg';
import type { Follower, NumberedEvent } from '#events';
import type { Scope } from '#platform/ctx.ts';
import type { System } from '#platform/system.ts';
import { type Audience, isMeantFor } from './audience.ts';
import type { EndpointId } from './endpoints.ts';
import { insertDeliveries, type NewDelivery, wakeUps } from './queue.ts';

/** Rows per insert; a batch of events may fan out to many more. */
const MAX_ROWS = 5_000;

type Receiver = Scope & Audience & { endpointId: EndpointId };

/** Queues a delivery for every enabled endpoint that selects an event, in the transaction that numbers the event. */
export function webhookFanOut(system: System): Follower {
  return async (client, events) => {
    const receivers = await receiversOf(client, events);
    if (receivers.length === 0) return;
    const byScope = Map.groupBy(receivers, keyOf);
    const deliveries = events.flatMap((event) => deliveriesOf(event, byScope.get(keyOf(event)) ?? []));
    for (let from = 0; from < deliveries.length; from += MAX_ROWS) {
      // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
      await client.query(insertDeliveries(deliveries.slice(from, from + MAX_ROWS), system.clock.now()));
    }
    if (deliveries.length === 0) return;
    await client.query(
      wakeUps(deliveries.map(({ scope, endpointId }) => ({ workspaceId: scope.workspaceId, endpointId }))),
    );
  };
}

function deliveriesOf(event: NumberedEvent, receivers: readonly Receiver[]): NewDelivery[] {
  return receivers
    .filter((receiver) => isMeantFor(receiver, event))
    .map(({ endpointId }) => ({
      scope: event,
      endpointId,
      eventId: event.id,
      eventType: event.type,
      body: null,
      trigger: 'event',
    }));
}

function keyOf({ workspaceId, projectId, environment }: Scope): string {
  return `${workspaceId}/${projectId}/${environment}`;
}

/** Served by webhook_endpoints_of_scope. */
const RECEIVERS = `
select e.workspace_id as "workspaceId", e.project_id as "projectId", e.environment, e.id as "endpointId", e.events, e.organization_id as "organizationId"
from (select distinct * from unnest($1::text[], $2::text[], $3::text[]) as s (workspace_id, project_id, environment)) scope
join webhook_endpoints e using (workspace_id, project_id, environment)
where e.purpose = 'events' and e.enabled and e.deleted_at is null`;

async function receiversOf(client: pg.ClientBase, events: readonly Scope[]): Promise<Receiver[]> {
  const scopes = [...new Map(events.map((event) => [keyOf(event), event])).values()];
  const { rows } = await client.query<Receiver>({
    name: 'webhook-receivers',
    text: RECEIVERS,
    values: [
      scopes.map(({ workspaceId }) => workspaceId),
      scopes.map(({ projectId }) => projectId),
      scopes.map(({ environment }) => environment),
    ],
  });
  return rows;
}
