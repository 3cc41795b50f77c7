import { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type Job, run, type Task, type WorkerEvents, Logger as WorkerLogger } from 'graphile-worker';
import { sql } from 'kysely';
import type { TxCtx } from './ctx.ts';
import type { Statement } from './feed.ts';
import { jobDurations, jobsDone } from './job-metrics.ts';
import { OUTSIDE_FLAG, slotsForOutside } from './job-outside.ts';
import { poolOfJobs } from './job-pool.ts';
import { SignOfLife } from './job-rescue.ts';
import { connectionsOf, type System } from './system.ts';
import { beginTrace, carriedPlace, type Parent, type Place, parentFrom, traced } from './trace.ts';

/** All jobs and their payloads. Parts add theirs by merging into this interface. */
// biome-ignore lint/suspicious/noEmptyInterface: the parts fill it by declaration merging
export interface Jobs {}

/** The beginning of the flag that carries the `traceparent` of the work that added a job. The queue stores flags and ignores them. */
const PLACE_FLAG = 'traceparent:';

function flags(outside = false): string[] | null {
  const place = carriedPlace();
  const all = [...(place === null ? [] : [PLACE_FLAG + place]), ...(outside ? [OUTSIDE_FLAG] : [])];
  return all.length === 0 ? null : all;
}

/** The parent of a job's trace: the work that added the job. */
function parentOfJob({ flags: stored }: Job): Parent {
  const flag = Object.keys(stored ?? {}).find((name) => name.startsWith(PLACE_FLAG));
  return parentFrom(flag?.slice(PLACE_FLAG.length));
}

/**
 * Adds a job in the caller's transaction: it runs if, and only if, the transaction commits.
 * @param options `priority`: smaller runs first (default 0); `key`: replaces a waiting job of the same key; jobs of one
 * `queue` run one after the other; `outside`: the job calls a server outside of the installation, and gets at most half of each worker
 */
export async function addJob<Name extends keyof Jobs & string>(
  tx: TxCtx,
  name: Name,
  payload: Jobs[Name],
  options: { priority?: number; runAt?: Date; key?: string; queue?: string; outside?: true } = {},
): Promise<void> {
  await sql`select graphile_worker.add_job(${name}, payload := ${JSON.stringify(payload)}::json, run_at := ${options.runAt ?? null}::timestamptz,
    priority := ${options.priority ?? null}::integer, job_key := ${options.key ?? null}::text,
    queue_name := ${options.queue ?? null}::text, flags := ${flags(options.outside)}::text[])`.execute(tx.db);
}

/** {@link addJob} for many jobs of one name, with one statement. */
export async function addJobs<Name extends keyof Jobs & string>(
  tx: TxCtx,
  name: Name,
  jobs: readonly { payload: Jobs[Name]; key: string }[],
  { priority, runAt }: { priority: number; runAt: Date },
): Promise<void> {
  await sql`select count(graphile_worker.add_job(${name}, payload := payload::json, run_at := ${runAt}::timestamptz,
    priority := ${priority}::integer, job_key := key, flags := ${flags()}::text[])) from unnest(${jobs.map(({ payload }) => JSON.stringify(payload))}::text[],
    ${jobs.map(({ key }) => key)}::text[]) as job (payload, key)`.execute(tx.db);
}

/** A statement that adds jobs over a connection outside the pool. */
export function addJobsStatement<Name extends keyof Jobs & string>(
  name: Name,
  payloads: readonly Jobs[Name][],
): Statement {
  return {
    name: 'add-jobs',
    text: 'select count(graphile_worker.add_job($1, payload::json)) from unnest($2::text[]) as payload',
    values: [name, payloads.map((payload) => JSON.stringify(payload))],
  };
}

/**
 * How often each slot looks for jobs by itself. A notification announces a new job at once; this finds those whose time
 * has come, such as the next try of a failed job. All slots ask, so a short interval keeps an idle database busy.
 */
const POLL_MS = 4_000;
/** The pause before a runner that stopped by itself is replaced. */
const RESTART_MS = 1_000;

/**
 * Starts the worker, which also takes over jobs of dead processes. A runner that stops by itself is replaced.
 * @returns stops it: jobs in progress finish, or return to the queue if the process ends first
 */
export async function startJobs(
  system: System,
  tasks: Readonly<Record<string, Task>>,
  concurrency: number,
): Promise<{ stop: () => Promise<void> }> {
  let stopped = false;
  const start = () => startRunner(system, { tasks, concurrency, isStopped: () => stopped });
  let current = start();
  const replace = (error: unknown) => {
    if (stopped) return;
    system.log.error({ err: error }, 'the runner of jobs stopped by itself, and another one is started');
    current = pause(RESTART_MS).then(start);
    follow();
  };
  const follow = () => {
    current.then(({ ended }) => ended).then(replace, replace);
  };
  await current;
  follow();
  return {
    stop: async () => {
      stopped = true;
      const runner = await current.catch(() => null);
      await runner?.stop();
    },
  };
}

type Running = {
  /** Resolves when the runner has stopped, to the error if there was one. */
  ended: Promise<unknown>;
  stop: () => Promise<void>;
};

type RunnerOptions = { tasks: Readonly<Record<string, Task>>; concurrency: number; isStopped: () => boolean };

async function startRunner(system: System, { tasks, concurrency, isStopped }: RunnerOptions): Promise<Running> {
  const events: WorkerEvents = new EventEmitter();
  const life = new SignOfLife(system);
  /** The places of the running jobs by their ids, because the queue logs a failure outside the job's place. */
  const places = new Map<string, Place>();
  events.on('pool:create', ({ workerPool }) => life.show(workerPool.id));
  events.on('job:complete', ({ job }) => places.delete(job.id));
  const runner = await run({
    events,
    pgPool: poolOfJobs(connectionsOf(system).jobs, { log: system.log, isStopped }),
    taskList: Object.fromEntries(Object.entries(tasks).map(([name, task]) => [name, measured(system, task, places)])),
    concurrency,
    forbiddenFlags: slotsForOutside(events, Math.ceil(concurrency / 2)),
    noHandleSignals: true,
    pollInterval: POLL_MS,
    logger: workerLogger(system, places),
  }).catch(async (error: unknown) => {
    await life.stop();
    throw error;
  });
  const ended = runner.promise.then(
    () => null,
    (error: unknown) => error,
  );
  return {
    ended: ended.finally(() => life.stop()),
    stop: async () => {
      // A runner that is stopping by itself refuses to be stopped.
      await runner.stop().catch(() => ended);
      await life.stop();
    },
  };
}

function measured(system: System, task: Task, places: Map<string, Place>): Task {
  return async (payload, helpers) => {
    const { id, task_identifier: name, attempts, max_attempts } = helpers.job;
    const place = beginTrace(system.tracer, { name: `job ${name}`, kind: 'consumer' }, parentOfJob(helpers.job));
    places.set(id, place);
    const began = performance.now();
    let result: 'done' | 'retried' | 'failed' = attempts < max_attempts ? 'retried' : 'failed';
    try {
      await traced(place, async () => task(payload, helpers));
      result = 'done';
    } finally {
      jobsDone.count(system, { task: name, result });
      jobDurations.observe(system, { task: name }, (performance.now() - began) / 1000);
    }
  };
}

function workerLogger(system: System, places: ReadonlyMap<string, Place>): WorkerLogger {
  const log = system.log.child({ component: 'jobs' });
  return new WorkerLogger((scope) => (level, message, about) => {
    // A line of the queue names the job in its details, a line of a task in its scope.
    const { id = scope.jobId, task_identifier: task = scope.taskIdentifier } = Object(about?.['job']);
    const place = places.get(id ?? '');
    const details = { task, job: id, ...(place && { traceId: place.traceId }) };
    if (level === 'error') log.error(details, message);
    else if (level === 'warning') log.warn(details, message);
    else log.debug(details, message);
  });
}

/**
 * The longest wait in milliseconds of each job name, over jobs with priority 0 or below that were never attempted.
 * These are the jobs that a person waits for.
 */
export async function longestWaits(system: System): Promise<Map<string, number>> {
  const { rows } = await sql<{ task: string; age: number }>`
    select task_identifier as task, (extract(epoch from now() - min(run_at)) * 1000)::bigint as age from graphile_worker.jobs
    where run_at <= now() and attempts = 0 and locked_at is null and priority <= 0 group by 1`.execute(system.db);
  return new Map(rows.map(({ task, age }) => [task, age]));
}
