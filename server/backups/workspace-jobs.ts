import type pg from 'pg';
import type { WorkspaceId } from '#platform/ids.ts';
import type { Jobs } from '#platform/jobs.ts';
import { StartError } from '#platform/start-error.ts';

/** Which jobs act on one workspace that their payload names, and go along with it. */
const GOES_ALONG: Readonly<Record<keyof Jobs, boolean>> = {
  backfill: false,
  deliver_webhooks: true,
  end_payment: false,
  erase_user: true,
  import_members: true,
  message_arrival: true,
  order_certificates: false,
  remove_scope: true,
  replay_webhooks: true,
  send_message: true,
  status_notice: true,
  sync_payment: true,
  unlink_issuers: true,
};
const KINDS = Object.entries(GOES_ALONG).flatMap(([kind, goes]) => (goes ? [kind] : []));

/** SQL: whether `work`, a payload or an element of one, is for the workspace that `id` stands for. */
function isFor(id: string): string {
  return `coalesce(work ->> 'workspaceId', work -> 'scope' ->> 'workspaceId') = ${id}`;
}

/**
 * The COPY command for the waiting jobs of a workspace, a JSON object each. Jobs for several workspaces have a list as payload, of which
 * its elements go along. The removal of the workspace itself stays.
 */
export function copyJobs(workspaceId: WorkspaceId): string {
  const theirs = `jsonb_path_query(j.payload::jsonb, '$[*]') work where ${isFor(`'${workspaceId}'`)}`;
  return `copy (
    select json_build_object('identifier', t.identifier, 'priority', j.priority, 'runAt', j.run_at, 'key', j.key,
      'maxAttempts', j.max_attempts,
      'payload', case when json_typeof(j.payload) = 'array' then (select json_agg(work) from ${theirs}) else j.payload end)
    from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier in (${KINDS.map((kind) => `'${kind}'`).join(', ')}) and exists (select from ${theirs}) and j.attempts < j.max_attempts
      and not (t.identifier = 'remove_scope' and j.payload ->> 'projectId' is null)) to stdout`;
}

const STAGED_JOBS = 'pg_temp.carried';

/** Where the jobs of a file are put before they are added. */
export async function stageJobs(client: pg.ClientBase): Promise<string> {
  // jsonb, because json keeps escapes, in which an id of another workspace could hide from a comparison.
  await client.query('create temp table carried (job jsonb not null) on commit drop');
  return `copy ${STAGED_JOBS} from stdin`;
}

/**
 * Adds the staged jobs.
 * @returns how many
 * @throws StartError for a job of another workspace, one that would replace such a job, and one of a kind that does not go along
 */
export async function addStagedJobs(client: pg.ClientBase, workspaceId: WorkspaceId): Promise<number> {
  const { rows: foreign } = await client.query<{ job: string }>(
    `select job::text as job from ${STAGED_JOBS}
     where (job ->> 'identifier' = any($1)) is not true or position($2 in coalesce(job ->> 'key', $2)) = 0
       or exists (select from jsonb_path_query(job, '$.payload[*]') work where (${isFor('$2')}) is not true) limit 1`,
    [KINDS, workspaceId],
  );
  if (foreign[0]) throw new StartError(`The file has a job that does not belong to its workspace: ${foreign[0].job}`);
  const { rows } = await client.query<{ added: number }>(
    `select count(graphile_worker.add_job(job ->> 'identifier', payload := (job -> 'payload')::json,
       run_at := (job ->> 'runAt')::timestamptz, max_attempts := (job ->> 'maxAttempts')::integer, job_key := job ->> 'key',
       priority := (job ->> 'priority')::integer))::integer as added from ${STAGED_JOBS}`,
  );
  return rows[0]?.added ?? 0;
}
