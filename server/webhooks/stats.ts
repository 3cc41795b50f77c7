import { type Static, Type } from 'typebox';
import type { Ctx } from '#platform/ctx.ts';
import { firstIdAt } from '#platform/ids.ts';
import { prepared } from '#platform/prepared.ts';
import { Instant } from '#platform/schemas.ts';
import { type EndpointId, getEndpoint } from './endpoints.ts';

const HOURS = 24;

const count = Type.Integer();
const milliseconds = Type.Union([Type.Number(), Type.Null()]);

export const EndpointStats = Type.Object({
  since: Type.String({
    format: 'date-time',
    description: 'The start of the counted period, which is the last 24 hours.',
  }),
  deliveries: Type.Object({
    pending: count,
    delivered: count,
    retrying: count,
    failed: count,
    blocked: count,
  }),
  attempts: Type.Object({
    total: count,
    succeeded: count,
    p50Ms: milliseconds,
    p99Ms: milliseconds,
  }),
  successRate: Type.Union([Type.Number(), Type.Null()], {
    description: 'The share of successful attempts, 0 to 1; null without attempts.',
  }),
  hours: Type.Array(
    Type.Object({ since: Instant, succeeded: count, failed: count, p50Ms: milliseconds, p99Ms: milliseconds }),
    { description: 'Attempts of deliveries that were queued in each hour of the period, oldest first.' },
  ),
  oldestWaitingAt: Type.Union([Instant, Type.Null()], {
    description: 'When the oldest waiting delivery was queued.',
  }),
});

type Row = Record<'pending' | 'delivered' | 'retrying' | 'failed' | 'blocked' | 'total' | 'succeeded', number> & {
  p50: number | null;
  p99: number | null;
  oldest: Date | null;
};

const STATS = prepared<Row>(
  'webhook-stats',
  `with recent as (
     select id, status from webhook_deliveries
     where workspace_id = $1 and endpoint_id = $2 and id >= $3
   ), made as (
     select duration_ms, status_code between 200 and 299 as good
     from webhook_attempts a join recent r on a.workspace_id = $1 and a.delivery_id = r.id
   )
   select count(*) filter (where status = 'pending') as pending, count(*) filter (where status = 'delivered') as delivered,
     count(*) filter (where status = 'retrying') as retrying, count(*) filter (where status = 'failed') as failed,
     count(*) filter (where status = 'blocked') as blocked, (select count(*) from made) as total,
     (select count(*) from made where good) as succeeded,
     (select percentile_cont(0.5) within group (order by duration_ms) from made) as p50,
     (select percentile_cont(0.99) within group (order by duration_ms) from made) as p99,
     (select min(created_at) from webhook_deliveries
      where workspace_id = $1 and endpoint_id = $2 and next_attempt_at is not null) as oldest
   from recent`,
);

type HourRow = { hour: number; succeeded: number; failed: number; p50: number | null; p99: number | null };

const HOURLY = prepared<HourRow>(
  'webhook-hours',
  `select floor(extract(epoch from d.created_at - $4::timestamptz) / 3600)::integer as hour,
     count(*) filter (where a.status_code between 200 and 299) as succeeded,
     count(*) filter (where a.status_code is null or a.status_code not between 200 and 299) as failed,
     percentile_cont(0.5) within group (order by a.duration_ms) as p50,
     percentile_cont(0.99) within group (order by a.duration_ms) as p99
   from webhook_deliveries d join webhook_attempts a on a.workspace_id = $1 and a.delivery_id = d.id
   where d.workspace_id = $1 and d.endpoint_id = $2 and d.id >= $3
   group by 1`,
);

/**
 * Delivery statistics of an endpoint over the last 24 hours. Served by webhook_deliveries_of_endpoint.
 * @throws Problem NOT_FOUND
 */
export async function endpointStats(ctx: Ctx, id: EndpointId): Promise<Static<typeof EndpointStats>> {
  await getEndpoint(ctx, id);
  const since = new Date(ctx.now.getTime() - HOURS * 3_600_000);
  const { workspaceId } = ctx.scope;
  const first = firstIdAt('dlv', since);
  const [{ rows }, { rows: byHour }] = await Promise.all([
    STATS(ctx.system, [workspaceId, id, first]),
    HOURLY(ctx.system, [workspaceId, id, first, since]),
  ]);
  const [row] = rows;
  if (!row) throw new Error('An aggregate gives one row.');
  const { pending, delivered, retrying, failed, blocked, total, succeeded, p50, p99, oldest } = row;
  return {
    since: since.toISOString(),
    deliveries: { pending, delivered, retrying, failed, blocked },
    attempts: { total, succeeded, p50Ms: p50, p99Ms: p99 },
    successRate: total === 0 ? null : succeeded / total,
    hours: Array.from({ length: HOURS }, (_, index) => {
      const found = byHour.find(({ hour }) => hour === index);
      return {
        since: new Date(since.getTime() + index * 3_600_000).toISOString(),
        succeeded: found?.succeeded ?? 0,
        failed: found?.failed ?? 0,
        p50Ms: found?.p50 ?? null,
        p99Ms: found?.p99 ?? null,
      };
    }),
    oldestWaitingAt: oldest?.toISOString() ?? null,
  };
}

type DayRow = { date: string; deliveries: number; delivered: number };

const PER_DAY = prepared<DayRow>(
  'webhook-days',
  `select to_char(created_at at time zone 'utc', 'YYYY-MM-DD') as date, count(*) as deliveries,
     count(*) filter (where status = 'delivered') as delivered
   from webhook_deliveries
   where workspace_id = $1 and project_id = $2 and environment = $3 and id >= $4
   group by 1`,
);

/** Queued and delivered counts per day (UTC) since a time. Served by webhook_deliveries_of_scope. */
export async function deliveriesPerDay({ system, scope }: Ctx, since: Date): Promise<DayRow[]> {
  const { workspaceId, projectId, environment } = scope;
  const { rows } = await PER_DAY(system, [workspaceId, projectId, environment, firstIdAt('dlv', since)]);
  return rows;
}
