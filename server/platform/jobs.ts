import { type Runner, run, type TaskList, Logger as WorkerLogger } from 'graphile-worker';
import { sql } from 'kysely';
import type { TxCtx } from './ctx.ts';
import type { System } from './system.ts';

/** The jobs that exist and what each carries. Parts add theirs by merging into this interface. */
// biome-ignore lint/suspicious/noEmptyInterface: the parts fill it by declaration merging
export interface Jobs {}

/**
 * Adds a job in the caller's transaction: it runs if, and only if, that commits.
 * @param options.priority smaller runs first (0 when absent); `key` replaces a waiting job of the same key
 */
export async function addJob<Name extends keyof Jobs & string>(
  tx: TxCtx,
  name: Name,
  payload: Jobs[Name],
  options: { priority?: number; runAt?: Date; key?: string } = {},
): Promise<void> {
  await sql`select graphile_worker.add_job(${name}, payload := ${JSON.stringify(payload)}::json, run_at := ${options.runAt ?? null}::timestamptz,
    priority := ${options.priority ?? null}::integer, job_key := ${options.key ?? null}::text)`.execute(tx.db);
}

/** Starts working off jobs. @returns stops: jobs in progress finish, or go back to the queue when the process ends first */
export async function startJobs(
  system: System,
  tasks: TaskList,
  concurrency: number,
): Promise<{ stop: () => Promise<void> }> {
  const runner: Runner = await run({
    pgPool: system.pool,
    taskList: tasks,
    concurrency,
    noHandleSignals: true,
    pollInterval: 1_000,
    logger: workerLogger(system),
  });
  runner.promise.catch((error: unknown) => system.log.error({ err: error }, 'job runner stopped'));
  return { stop: () => runner.stop() };
}

function workerLogger(system: System): WorkerLogger {
  const log = system.log.child({ component: 'jobs' });
  return new WorkerLogger((scope) => (level, message) => {
    const details = { task: scope.taskIdentifier, job: scope.jobId };
    if (level === 'error') log.error(details, message);
    else if (level === 'warning') log.warn(details, message);
    else log.debug(details, message);
  });
}
