import { CompiledQuery } from 'kysely';
import type { Scope, TxCtx } from '#platform/ctx.ts';
import type { Statement } from '#platform/feed.ts';
import { type EventId, newId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { addJobsStatement } from '#platform/jobs.ts';
import { prepared } from '#platform/prepared.ts';
import { preparedWrite, singleWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';
import { isClosed } from '#tenancy';
import type { DeliveryId, Trigger } from './deliveries.ts';
import type { EndpointId } from './endpoints.ts';
import type { Attempted, Outcome } from './schedule.ts';

/** Identifies an endpoint that has due deliveries. */
export type EndpointRef = { workspaceId: WorkspaceId; endpointId: EndpointId };

declare module '#platform/jobs.ts' {
  interface Jobs {
    deliver_webhooks: EndpointRef[];
  }
}

/** Endpoints per job: few, so that several workers share the endpoints of an event. */
const ENDPOINTS_PER_JOB = 16;

/** The statement that adds jobs to process these endpoints, in any worker. */
export function wakeUps(refs: readonly EndpointRef[]): Statement {
  const distinct = [
    ...new Map(refs.map(({ workspaceId, endpointId }) => [endpointId, { workspaceId, endpointId }])).values(),
  ];
  const jobs = Array.from({ length: Math.ceil(distinct.length / ENDPOINTS_PER_JOB) }, (_, index) =>
    distinct.slice(index * ENDPOINTS_PER_JOB, (index + 1) * ENDPOINTS_PER_JOB),
  );
  return addJobsStatement('deliver_webhooks', jobs);
}

/** A delivery to queue. `body` null: the event as it is in the log. */
export type NewDelivery = {
  scope: Scope;
  endpointId: EndpointId;
  eventId: EventId;
  eventType: string;
  body: string | null;
  trigger: Trigger;
};

const INSERT = `
insert into webhook_deliveries
  (workspace_id, id, project_id, environment, endpoint_id, event_id, event_type, body, status, trigger, next_attempt_at, created_at)
select workspace_id, id, project_id, environment, endpoint_id, event_id, event_type, body, 'pending', trigger, $10, $10
from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
  as new (workspace_id, id, project_id, environment, endpoint_id, event_id, event_type, body, trigger)`;

/** The statement that queues deliveries. */
export function insertDeliveries(deliveries: readonly NewDelivery[], now: Date): Statement {
  const column = (value: (delivery: NewDelivery) => string | null) => deliveries.map(value);
  return {
    name: 'queue-deliveries',
    text: INSERT,
    values: [
      column(({ scope }) => scope.workspaceId),
      column(() => newId('dlv', now)),
      column(({ scope }) => scope.projectId),
      column(({ scope }) => scope.environment),
      column(({ endpointId }) => endpointId),
      column(({ eventId }) => eventId),
      column(({ eventType }) => eventType),
      column(({ body }) => body),
      column(({ trigger }) => trigger),
      now,
    ],
  };
}

/** Queues deliveries in the caller's transaction: they are made if, and only if, it commits. */
export async function queueDeliveries(tx: TxCtx, deliveries: readonly NewDelivery[]): Promise<void> {
  if (deliveries.length === 0) return;
  const refs = deliveries.map(({ scope, endpointId }) => ({ workspaceId: scope.workspaceId, endpointId }));
  for (const { text, values } of [insertDeliveries(deliveries, tx.now), wakeUps(refs)]) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await tx.db.executeQuery(CompiledQuery.raw(text, values));
  }
}

/** A delivery that this process has leased for its next attempt. */
export type Claimed = {
  workspace_id: WorkspaceId;
  id: DeliveryId;
  event_id: EventId;
  event_type: string;
  body: string | null;
  attempt_count: number;
  trigger: Trigger;
  lease: Date;
};

// Arrays keep these statements on the primary key: with a join, a planner without statistics scans the whole log.

const CLAIM = preparedWrite<Claimed>(
  'claim-deliveries',
  'claim',
  `update webhook_deliveries d set next_attempt_at = $4
   where d.workspace_id = $1 and d.id = any (array (
     select id from webhook_deliveries
     where workspace_id = $1 and endpoint_id = $2 and next_attempt_at <= $3
       and exists (select from webhook_endpoints e
         where e.workspace_id = $1 and e.id = $2 and e.enabled and e.deleted_at is null
           and (e.paused_until is null or e.paused_until <= $3))
     order by next_attempt_at, id limit $5 for update skip locked))
   returning d.workspace_id, d.id, d.event_id, d.event_type, d.body, d.attempt_count, d.trigger, d.next_attempt_at as lease`,
);

/**
 * Claims due deliveries of an endpoint that is enabled and not paused, longest waiting first. If the process dies, the
 * lease expires and another process makes the attempt. Served by webhook_deliveries_due.
 * @param leaseMs longer than any attempt takes
 */
export async function claimDeliveries(
  system: System,
  { workspaceId, endpointId }: EndpointRef,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<Claimed[]> {
  const now = system.clock.now();
  const lease = new Date(now.getTime() + leaseMs);
  const { rows } = await CLAIM(system, [workspaceId, endpointId, now, lease, limit]);
  // An update returns rows in no particular order; ids sort by time.
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
}

const RELEASE = preparedWrite(
  'give-back-deliveries',
  'claim',
  `update webhook_deliveries set next_attempt_at = $4
   where workspace_id = $1 and id = any ($2) and next_attempt_at = $3`,
);

/** Releases claimed deliveries that were not attempted. All must come from the same claim. */
export async function releaseDeliveries(system: System, claimed: readonly Claimed[]): Promise<void> {
  const [first] = claimed;
  if (!first) return;
  const ids = claimed.map(({ id }) => id);
  await RELEASE(system, [first.workspace_id, ids, first.lease, system.clock.now()]);
}

const SETTLE = preparedWrite<{ id: DeliveryId }>(
  'settle-deliveries',
  'claim',
  `with result as (
     select * from unnest($2::text[], $3::timestamptz[], $4::text[], $5::timestamptz[], $6::text[], $7::timestamptz[],
       $8::integer[], $9::integer[], $10::text[], $11::text[])
     as r (id, lease, status, next_attempt_at, trigger, started_at, duration_ms, status_code, error, response_snippet)
   ), settled as (
     update webhook_deliveries d
     set status = r.status, attempt_count = d.attempt_count + 1, next_attempt_at = r.next_attempt_at, trigger = 'schedule'
     from result r
     where d.workspace_id = $1 and d.id = r.id and d.next_attempt_at = r.lease and d.id = any ($2)
     returning d.workspace_id, d.id, d.endpoint_id, d.status, d.attempt_count
   ), healed as (
     update webhook_endpoints e set failing_since = null, succeeded_at = coalesce(e.succeeded_at, well.at)
     from (select s.endpoint_id, max(r.started_at) as at from settled s join result r using (id)
       where s.status = 'delivered' group by 1) well
     where e.workspace_id = $1 and e.id = well.endpoint_id
       and (e.failing_since is not null or e.succeeded_at is null))
   insert into webhook_attempts
     (workspace_id, delivery_id, number, trigger, started_at, duration_ms, status_code, error, response_snippet)
   select $1, id, s.attempt_count, r.trigger, r.started_at, r.duration_ms, r.status_code, r.error, r.response_snippet
   from settled s join result r using (id)
   returning delivery_id as id`,
);

/** A finished attempt and its outcome. */
export type Settled = { claimed: Claimed; attempt: Attempted; outcome: Outcome };

/**
 * Records attempts, and that endpoints with a success are no longer failing. Skips attempts whose lease has expired,
 * because another process has repeated them.
 */
export async function settleDeliveries(system: System, settled: readonly Settled[]): Promise<void> {
  const byWorkspace = Map.groupBy(settled, ({ claimed }) => claimed.workspace_id);
  await Promise.all([...byWorkspace].map(([workspaceId, theirs]) => settleIn(system, workspaceId, theirs)));
}

async function settleIn(system: System, workspaceId: WorkspaceId, settled: readonly Settled[]): Promise<void> {
  const column = <T>(value: (one: Settled) => T) => settled.map(value);
  await SETTLE(system, [
    workspaceId,
    column(({ claimed }) => claimed.id),
    column(({ claimed }) => claimed.lease),
    column(({ outcome }) => outcome.status),
    column(({ outcome }) => outcome.nextAttemptAt),
    column(({ claimed }) => claimed.trigger),
    column(({ attempt }) => attempt.startedAt),
    column(({ attempt }) => attempt.durationMs),
    column(({ attempt }) => attempt.statusCode),
    column(({ attempt }) => attempt.error),
    column(({ attempt }) => attempt.responseSnippet),
  ]);
}

/**
 * The enabled endpoints that are not paused. Statements look one index entry up for each, however many deliveries wait.
 * Served by webhook_deliveries_due.
 */
const ACTIVE = `/* all workspaces */ from webhook_endpoints e
   where e.enabled and e.deleted_at is null and (e.paused_until is null or e.paused_until <= $1)`;

const DUE = prepared<EndpointRef & { projectId: ProjectId }>(
  'due-endpoints',
  `select e.workspace_id as "workspaceId", e.id as "endpointId", e.project_id as "projectId" ${ACTIVE} and exists (
     select from webhook_deliveries d
     where d.workspace_id = e.workspace_id and d.endpoint_id = e.id and d.next_attempt_at <= $1)`,
);

/** Wakes every endpoint with due deliveries: retries that fall due, and deliveries of dead processes. */
export async function wakeDueEndpoints(system: System): Promise<void> {
  const { rows } = await DUE(system, [system.clock.now()]);
  const closed = await Promise.all(rows.map((row) => isClosed(system, row)));
  const due = rows.filter((_, index) => !closed[index]);
  if (due.length === 0) return;
  const { text, values } = wakeUps(due);
  await singleWrite(system, 'claim').executeQuery(CompiledQuery.raw(text, values));
}

const OLDEST = prepared<Pick<EndpointRef, 'workspaceId'> & { projectId: ProjectId; since: Date }>(
  'oldest-due-delivery',
  `select "workspaceId", "projectId", since from (
     select e.workspace_id as "workspaceId", e.project_id as "projectId", (
       select min(d.next_attempt_at) from webhook_deliveries d
       where d.workspace_id = e.workspace_id and d.endpoint_id = e.id and d.next_attempt_at <= $1) as since
     ${ACTIVE}) as waiting
   where since is not null`,
);

/**
 * How many seconds the oldest due delivery has waited. Deliveries of disabled or paused endpoints and of closed projects do
 * not count, nor do those that are being attempted.
 */
export async function oldestDue(system: System): Promise<number> {
  const now = system.clock.now();
  const { rows } = await OLDEST(system, [now]);
  const closed = await Promise.all(rows.map((row) => isClosed(system, row)));
  const ages = rows.map(({ since }, index) => (closed[index] ? 0 : now.getTime() - since.getTime()));
  return ages.reduce((oldest, age) => Math.max(oldest, age), 0) / 1000;
}
