import type { Job, WorkerEvents } from 'graphile-worker';

/** Marks the jobs that call servers outside of the installation. */
export const OUTSIDE_FLAG = 'outside';

function isOutside({ flags }: Job): boolean {
  return flags?.[OUTSIDE_FLAG] === true;
}

/**
 * Limits the slots of a runner for jobs that call servers outside of the installation, so that the others keep running while
 * such a server does not respond. A slot that looks for a job counts as taken until it has found one of another kind, or none.
 * @param max the number of slots for these jobs
 * @returns a function that graphile-worker calls before a slot looks for a job: the flags of jobs that the slot must not take
 */
export function slotsForOutside(events: WorkerEvents, max: number): () => string[] {
  /** The slots that run such a job, or look for any. */
  const slots = new Set<string>();
  /** For each slot that is about to look, in order, whether it may take such a job. */
  const asking: boolean[] = [];
  events.on('worker:getJob:start', ({ worker }) => {
    if (asking.shift()) slots.add(worker.workerId);
  });
  events.on('job:start', ({ worker, job }) => {
    if (!isOutside(job)) slots.delete(worker.workerId);
  });
  for (const end of ['worker:getJob:empty', 'worker:getJob:error', 'job:complete'] as const)
    events.on(end, ({ worker }) => slots.delete(worker.workerId));
  return () => {
    const mayTake = slots.size + asking.filter(Boolean).length < max;
    asking.push(mayTake);
    return mayTake ? [] : [OUTSIDE_FLAG];
  };
}
