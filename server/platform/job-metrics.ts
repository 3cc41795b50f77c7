import { sql } from 'kysely';
import { counter, durations, gauge, type Metric, shared } from './metrics.ts';
import type { System } from './system.ts';

const TASK = 'the name of the job';

export const jobsDone = counter({
  name: 'latchkey_jobs_total',
  help: 'Jobs that this process ran. `retried`: it failed and runs again; `failed`: for the last time.',
  labels: { task: TASK, result: ['done', 'retried', 'failed'] },
  roles: ['worker'],
});

export const jobDurations = durations({
  name: 'latchkey_job_duration_seconds',
  help: 'How long jobs ran.',
  labels: { task: TASK },
  roles: ['worker'],
  buckets: [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300],
});

type Queue = { task: string; waiting: number; failed: number; age: number | null };

/** `graphile_worker.jobs` holds only jobs that are not done. */
const queues = shared(async (system: System): Promise<Queue[]> => {
  const { rows } = await sql<Queue>`
    select task_identifier as task, count(*) filter (where is_waiting) as waiting,
      count(*) filter (where attempts >= max_attempts) as failed,
      extract(epoch from now() - min(run_at) filter (where is_waiting))::float8 as age
    from (
      select *, attempts < max_attempts and locked_at is null and run_at <= now() as is_waiting from graphile_worker.jobs
    ) job
    group by 1 /* all workspaces */`.execute(system.db);
  return rows;
});

export const jobMetrics: readonly Metric[] = [
  jobsDone,
  jobDurations,
  gauge({
    name: 'latchkey_jobs_waiting',
    help: 'Jobs that are due and that no process has taken.',
    labels: { task: TASK },
    roles: ['worker'],
    read: async (system) => (await queues(system)).map(({ task, waiting }) => ({ labels: { task }, value: waiting })),
  }),
  gauge({
    name: 'latchkey_jobs_failed',
    help: 'Jobs that failed for the last time and are kept.',
    labels: { task: TASK },
    roles: ['worker'],
    read: async (system) => (await queues(system)).map(({ task, failed }) => ({ labels: { task }, value: failed })),
  }),
  gauge({
    name: 'latchkey_jobs_oldest_seconds',
    help: 'How long the oldest job has been due that no process has taken.',
    labels: { task: TASK },
    roles: ['worker'],
    read: async (system) =>
      (await queues(system)).map(({ task, age }) => ({ labels: { task }, value: Math.max(0, age ?? 0) })),
  }),
];
