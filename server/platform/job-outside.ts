import type { Job, WorkerEvents } from 'graphile-worker';

/** The flag of jobs that wait for a server outside. */
export const OUTSIDE_FLAG = 'outside';

function isOutside({ flags }: Job): boolean {
  return flags?.[OUTSIDE_FLAG] === true;
}

/**
 * Limits how many slots of a runner jobs that wait for a server outside may have: while that server does not respond, all other
 * jobs have the rest. A slot that looks for a job counts until it has found another one.
 * @returns what graphile-worker calls when a slot looks for a job: the flags of jobs that it must not take
 */
export function slotsForOutside(events: WorkerEvents, max: number): () => string[] {
  /** The slots that have such a job, or may find one. */
  const slots = new Set<string>();
  /** Whether those slots may take one that are about to look, in their order. */
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
