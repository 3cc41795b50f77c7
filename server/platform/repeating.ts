import type { System } from './system.ts';

/** What is done again and again, by the name under which its failures are logged. */
export type Works = Readonly<Record<string, (system: System) => Promise<unknown>>>;

/**
 * Begins each of these works every so many milliseconds, spread over that time so that they do not ask the database all at once.
 * They know nothing of each other: one that fails is logged, and tried again the next time; one that still goes on is not begun
 * once more.
 * @returns `stop` begins no more, and waits for those under way
 */
export function repeat(system: System, milliseconds: number, works: Works): { stop: () => Promise<void> } {
  const underWay = new Map<string, Promise<void>>();
  const begin = async (name: string, work: Works[string]) => {
    try {
      await work(system);
    } catch (error) {
      system.log.warn({ err: error, work: name }, `${name} failed; it is tried again`);
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

/** A record of some project. */
type OfProject = { workspace_id: string; project_id: string; environment: string };

/**
 * Works off records of many projects one after the other. One that fails is logged and left for the next time: it keeps none of
 * the others waiting, however often it fails.
 */
export async function eachAlone<Row extends OfProject>(
  system: System,
  rows: readonly Row[],
  work: (row: Row) => Promise<unknown>,
): Promise<void> {
  for (const row of rows) {
    try {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other is the purpose
      await work(row);
    } catch (error) {
      const { workspace_id: workspaceId, project_id: projectId, environment } = row;
      const about = { err: error, workspaceId, projectId, environment };
      system.log.warn(about, 'work for a project failed; it is tried again');
    }
  }
}
