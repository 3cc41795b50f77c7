import { type Selectable, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { emit, eventsById } from '#events';
import { type Ctx, type Environment, transaction } from '#platform/ctx.ts';
import {
  type EventId,
  firstIdAt,
  type Id,
  IdSchema,
  type ProjectId,
  type UserId,
  type WorkspaceId,
} from '#platform/ids.ts';
import { instantOf } from '#platform/instants.ts';
import { addJob } from '#platform/jobs.ts';
import { newestFirst, type Page, PageQuery } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { inScope, inWorkspace } from '#platform/scoped.ts';
import { type EndpointId, lockEndpoint } from './endpoints.ts';
import { Payload, payloadOf } from './payloads.ts';

export type DeliveryId = Id<'dlv'>;
const statuses = ['pending', 'delivered', 'retrying', 'failed', 'blocked'] as const;
export type DeliveryStatus = (typeof statuses)[number];
const triggers = ['event', 'schedule', 'retry', 'replay', 'recovery', 'test'] as const;
export type Trigger = (typeof triggers)[number];

type WebhookDeliveriesTable = {
  workspace_id: WorkspaceId;
  id: DeliveryId;
  project_id: ProjectId;
  environment: Environment;
  endpoint_id: EndpointId;
  event_id: EventId;
  event_type: string;
  body: string | null;
  status: DeliveryStatus;
  attempt_count: number;
  trigger: Trigger;
  next_attempt_at: Date | null;
  created_at: Date;
};

type WebhookAttemptsTable = {
  workspace_id: WorkspaceId;
  delivery_id: DeliveryId;
  number: number;
  trigger: Trigger;
  started_at: Date;
  duration_ms: number;
  status_code: number | null;
  error: string | null;
  response_snippet: string | null;
};

declare module '#platform/db.ts' {
  interface Tables {
    webhook_deliveries: WebhookDeliveriesTable;
    webhook_attempts: WebhookAttemptsTable;
  }
}

const Attempt = Type.Object({
  startedAt: Instant,
  durationMs: Type.Integer(),
  statusCode: Type.Union([Type.Integer(), Type.Null()]),
  error: Type.Union([Type.String(), Type.Null()], {
    description: 'Why the attempt has no status code, or why its status code does not count.',
  }),
  responseSnippet: Type.Union([Type.String(), Type.Null()], {
    description: 'The beginning of the response, without anything that looks like a secret.',
  }),
  trigger: Type.Enum([...triggers]),
});

const UserIdSchema = IdSchema('usr');

const summary = {
  id: IdSchema('dlv'),
  eventId: Type.String(),
  eventType: Type.String(),
  endpointId: IdSchema('whe'),
  userId: Type.Union([UserIdSchema, Type.Null()], {
    description: 'The person that the event is about; null if it is about nobody, or no longer in the log.',
  }),
  status: Type.Enum([...statuses], {
    description:
      '`pending`: not attempted yet; `retrying`: attempted, and will be again; `failed`: given up; `blocked`: the address is not allowed, nothing was sent.',
  }),
  attemptCount: Type.Integer(),
  nextAttemptAt: nullable(Instant),
  createdAt: Instant,
};

/** The last attempt, as lists show it. */
const LastAttempt = nullable(
  Type.Object({ statusCode: nullable(Type.Integer()), durationMs: Type.Integer(), startedAt: Instant }),
);

export const Delivery = Type.Object({ ...summary, lastAttempt: LastAttempt }, { title: 'WebhookDelivery' });
type Delivery = Static<typeof Delivery>;
export const DeliveryWithAttempts = Type.Object(
  { ...summary, payload: Payload, attempts: Type.Array(Attempt) },
  { title: 'WebhookDeliveryWithAttempts' },
);
type DeliveryWithAttempts = Static<typeof DeliveryWithAttempts>;

export const DeliveryQuery = Type.Object({
  ...PageQuery.properties,
  endpointId: Type.Optional(IdSchema('whe')),
  eventType: Type.Optional(Type.String({ maxLength: 100 })),
  status: Type.Optional(Type.Enum([...statuses])),
  since: Type.Optional(Instant),
  until: Type.Optional(Instant),
});

type Row = Selectable<WebhookDeliveriesTable>;

function recordOf(row: Row, people: ReadonlyMap<string, UserId>): Omit<Delivery, 'lastAttempt'> {
  return {
    id: row.id,
    eventId: row.event_id,
    eventType: row.event_type,
    endpointId: row.endpoint_id,
    userId: people.get(row.event_id) ?? null,
    status: row.status,
    attemptCount: row.attempt_count,
    nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
  };
}

/**
 * Deliveries of the project environment, newest first. Served by webhook_deliveries_of_scope; of one endpoint by
 * webhook_deliveries_of_endpoint; of failing deliveries by webhook_deliveries_troubled.
 */
export async function listDeliveries(ctx: Ctx, query: Static<typeof DeliveryQuery>): Promise<Page<Delivery>> {
  const { limit, cursor, endpointId, eventType, status, since, until } = query;
  const list = JSON.stringify(['webhook-deliveries', endpointId, eventType, status, since, until]);
  let rows = ctx.db.selectFrom('webhook_deliveries').selectAll().where(inScope(ctx));
  if (endpointId !== undefined) rows = rows.where('endpoint_id', '=', endpointId);
  if (eventType !== undefined) rows = rows.where('event_type', '=', eventType);
  // A literal, because the planner uses the partial index only if it sees the value.
  if (status !== undefined) rows = rows.where('status', '=', sql.lit(status));
  if (since !== undefined) rows = rows.where(sql<boolean>`id >= ${firstIdAt('dlv', instantOf(since))}`);
  if (until !== undefined) rows = rows.where(sql<boolean>`id < ${firstIdAt('dlv', instantOf(until))}`);
  const page = await newestFirst(ctx, rows, { list, limit, cursor });
  const [last, people] = await Promise.all([lastAttempts(ctx, page.rows), peopleOf(ctx, page.rows)]);
  return {
    items: page.rows.map((row) => ({ ...recordOf(row, people), lastAttempt: last.get(row.id) ?? null })),
    nextCursor: page.nextCursor,
  };
}

/** Whom the events of deliveries are about. Deliveries of other parts have no event in the log. */
async function peopleOf({ system, scope }: Ctx, deliveries: readonly Row[]): Promise<Map<string, UserId>> {
  const ids = [...new Set(deliveries.map((row) => row.event_id))];
  if (ids.length === 0) return new Map();
  const events = await eventsById(system, scope.workspaceId, ids);
  return new Map(
    [...events.values()].flatMap(({ id, data: { userId }, example }) =>
      !example && Value.Check(UserIdSchema, userId) ? [[id, userId] as const] : [],
    ),
  );
}

/** The last attempt of each delivery. Served by the primary key: a delivery has few attempts. */
async function lastAttempts(ctx: Ctx, deliveries: readonly Row[]) {
  const ids = deliveries.flatMap(({ id, attempt_count: count }) => (count > 0 ? [id] : []));
  if (ids.length === 0) return new Map<DeliveryId, NonNullable<Static<typeof LastAttempt>>>();
  const rows = await ctx.db
    .selectFrom('webhook_attempts')
    .distinctOn('delivery_id')
    .select(['delivery_id', 'status_code', 'duration_ms', 'started_at'])
    .where(inWorkspace(ctx))
    .where('delivery_id', 'in', ids)
    .orderBy('delivery_id')
    .orderBy('number', 'desc')
    .execute();
  return new Map(
    rows.map((row) => [
      row.delivery_id,
      { statusCode: row.status_code, durationMs: row.duration_ms, startedAt: row.started_at.toISOString() },
    ]),
  );
}

/**
 * A delivery with its payload and its attempts, oldest first.
 * @throws Problem NOT_FOUND
 */
export async function getDelivery(ctx: Ctx, id: DeliveryId): Promise<DeliveryWithAttempts> {
  const row = await ctx.db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where(inScope(ctx))
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw problem('NOT_FOUND');
  const attempts = await ctx.db
    .selectFrom('webhook_attempts')
    .selectAll()
    .where(inWorkspace(ctx))
    .where('delivery_id', '=', id)
    .orderBy('number')
    .execute();
  return {
    ...recordOf(row, await peopleOf(ctx, [row])),
    payload: await payloadOf(ctx, row),
    attempts: attempts.map((attempt) => ({
      startedAt: attempt.started_at.toISOString(),
      durationMs: attempt.duration_ms,
      statusCode: attempt.status_code,
      error: attempt.error,
      responseSnippet: attempt.response_snippet,
      trigger: attempt.trigger,
    })),
  };
}

/**
 * Retries a delivery now, whatever its status.
 * @throws Problem NOT_FOUND, CONFLICT while its endpoint is disabled
 */
export async function retryDelivery(ctx: Ctx, id: DeliveryId): Promise<DeliveryWithAttempts> {
  await transaction(ctx, async (tx) => {
    const row = await tx.db
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where(inScope(tx))
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (!row) throw problem('NOT_FOUND');
    const endpoint = await lockEndpoint(tx, row.endpoint_id);
    if (!endpoint.enabled) throw problem('CONFLICT', 'The endpoint is disabled; enable it first.');
    await tx.db
      .updateTable('webhook_deliveries')
      .set({ status: row.attempt_count === 0 ? 'pending' : 'retrying', trigger: 'retry', next_attempt_at: tx.now })
      .where('workspace_id', '=', tx.scope.workspaceId)
      .where('id', '=', id)
      .execute();
    await addJob(tx, 'deliver_webhooks', [{ workspaceId: row.workspace_id, endpointId: row.endpoint_id }]);
    await emit(tx, 'webhook.endpoint.retried', {
      endpointId: row.endpoint_id,
      url: endpoint.url,
      deliveryId: id,
      eventId: row.event_id,
    });
  });
  return getDelivery(ctx, id);
}
