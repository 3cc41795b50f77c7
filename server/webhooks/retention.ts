import { projectOf } from '#environments';
import type { Environment, Scope } from '#platform/ctx.ts';
import { firstIdAt } from '#platform/ids.ts';
import { prepared } from '#platform/prepared.ts';
import { preparedWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';

/** Rows per statement, so that none holds its locks for long. */
const BATCH = 5_000;
const DAY_MS = 86_400_000;

const SCOPES = prepared<Scope & { environment: Environment }>(
  'webhook-scopes',
  `/* all workspaces */ select distinct workspace_id as "workspaceId", project_id as "projectId", environment from webhook_endpoints`,
);

const EXPIRED = preparedWrite<{ removed: number }>(
  'forget-deliveries',
  'clean-up',
  `with old as (
     select id from webhook_deliveries
     where workspace_id = $1 and project_id = $2 and environment = $3 and id < $4 and next_attempt_at is null
     order by id limit $5
   ), attempts as (
     delete from webhook_attempts where workspace_id = $1 and delivery_id = any (array (select id from old))
   ), gone as (
     delete from webhook_deliveries where workspace_id = $1 and id = any (array (select id from old)) returning id
   )
   select count(*) as removed from gone`,
);

const ABANDONED = preparedWrite<{ id: string }>(
  'end-abandoned-deliveries',
  'clean-up',
  `with abandoned as (
     select d.workspace_id, d.id from webhook_endpoints e
     join webhook_deliveries d on d.workspace_id = e.workspace_id and d.endpoint_id = e.id and d.next_attempt_at is not null
     where e.deleted_at is not null limit $1)
   update webhook_deliveries d set status = 'failed', next_attempt_at = null
   from abandoned a where d.workspace_id = a.workspace_id and d.id = a.id returning d.id`,
);

const EMPTY = preparedWrite(
  'forget-endpoints',
  'clean-up',
  `delete from webhook_endpoints e
   where e.deleted_at is not null and not exists (
     select from webhook_deliveries d where d.workspace_id = e.workspace_id and d.endpoint_id = e.id)`,
);

/**
 * Deletes deliveries past the retention of their project (`webhookLogDays`), ends deliveries to deleted endpoints, and
 * deletes endpoints without deliveries. Deliveries that wait are kept, however long their endpoint is disabled or their
 * project closed.
 */
export async function deleteOldDeliveries(system: System): Promise<void> {
  await untilNoneLeft(async () => (await ABANDONED(system, [BATCH])).rows.length);
  const now = system.clock.now();
  const { rows: scopes } = await SCOPES(system, []);
  for (const scope of scopes) {
    // biome-ignore lint/performance/noAwaitInLoops: background work, sequential on purpose
    const { settings } = await projectOf(system, scope);
    const before = new Date(now.getTime() - settings.webhookLogDays * DAY_MS);
    const { workspaceId, projectId, environment } = scope;
    const values = [workspaceId, projectId, environment, firstIdAt('dlv', before), BATCH];
    await untilNoneLeft(async () => (await EXPIRED(system, values)).rows[0]?.removed ?? 0);
  }
  await EMPTY(system, []);
}

async function untilNoneLeft(batch: () => Promise<number>): Promise<void> {
  // biome-ignore lint/performance/noAwaitInLoops: batches are sequential
  while ((await batch()) === BATCH);
}
