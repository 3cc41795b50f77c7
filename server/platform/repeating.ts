import { counter } from './metrics.ts';
import type { System } from './system.ts';
import { beginTrace, runAt, traced } from './trace.ts';

/** Periodic work, by the name under which its failures are logged. */
export type Works = Readonly<Record<string, (system: System) => Promise<unknown>>>;

export const periodicRuns = counter({
  name: 'latchkey_periodic_work_total',
  help: 'Runs of work that repeats, such as clean-ups.',
  labels: { work: 'the name of the work', result: ['done', 'failed'] },
  roles: ['worker'],
});

/**
 * Runs each work at a fixed interval. The starts are spread over the interval so that they do not query the database
 * all at once. Works are independent: a failure is logged and retried at the next interval; a work that is still
 * running is skipped.
 * @returns `stop` starts no further work, and waits for the work in progress
 */
export function repeat(system: System, milliseconds: number, works: Works): { stop: () => Promise<void> } {
  const underWay = new Map<string, Promise<void>>();
  const begin = async (name: string, work: Works[string]) => {
    const place = beginTrace(system.tracer, { name, kind: 'internal' });
    try {
      await traced(place, () => work(system));
      periodicRuns.count(system, { work: name, result: 'done' });
    } catch (error) {
      periodicRuns.count(system, { work: name, result: 'failed' });
      runAt(place, () => system.log.warn({ err: error, work: name }, `${name} failed; it is tried again`));
    } finally {
      underWay.delete(name);
    }
  };
  const inTurn = Object.entries(works);
  let turn = 0;
  const end = system.clock.every(milliseconds / inTurn.length, () => {
    const [name, work] = inTurn[turn % inTurn.length] ?? [];
    turn += 1;
    if (name && work && !underWay.has(name)) underWay.set(name, begin(name, work));
  });
  return {
    stop: async () => {
      end();
      await Promise.all(underWay.values());
    },
  };
}

/** A record of a project. */
type OfProject = { workspace_id: string; project_id: string; environment: string };

/**
 * Processes records of many projects one after the other. A failure is logged and left for the next time, so it does
 * not delay the other records.
 */
export async function eachAlone<Row extends OfProject>(
  system: System,
  rows: readonly Row[],
  work: (row: Row) => Promise<unknown>,
): Promise<void> {
  for (const row of rows) {
    try {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      await work(row);
    } catch (error) {
      const { workspace_id: workspaceId, project_id: projectId, environment } = row;
      const about = { err: error, workspaceId, projectId, environment };
      system.log.warn(about, 'work for a project failed; it is tried again');
    }
  }
}
