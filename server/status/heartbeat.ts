import { hostname } from 'node:os';
import { singleWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';

type WorkerHeartbeatsTable = { worker: string; seen_at: Date };

declare module '#platform/db.ts' {
  interface Tables {
    worker_heartbeats: WorkerHeartbeatsTable;
  }
}

const INTERVAL_MS = 3_000;
const FRESH_MS = 12_000;
const KEPT_MS = 86_400_000;

/** Reports regularly, until stopped, that a worker runs in this process. */
export function startHeartbeat(system: System): { stop: () => void } {
  const worker = `${hostname()}/${process.pid}`;
  const beat = () => {
    const seen = system.clock.now();
    singleWrite(system, 'count')
      .insertInto('worker_heartbeats')
      .values({ worker, seen_at: seen })
      .onConflict((conflict) => conflict.column('worker').doUpdateSet({ seen_at: seen }))
      .execute()
      .catch((error: unknown) => system.log.debug({ err: error }, 'heartbeat'));
  };
  beat();
  const timer = setInterval(beat, INTERVAL_MS);
  return { stop: () => clearInterval(timer) };
}

/** Deletes workers that have not reported for a day. */
export async function removeSilentWorkers(system: System): Promise<void> {
  const before = new Date(system.clock.now().getTime() - KEPT_MS);
  await singleWrite(system, 'clean-up').deleteFrom('worker_heartbeats').where('seen_at', '<', before).execute();
}

/** True when a worker reported recently. */
export async function heartbeatIsFresh(system: System): Promise<boolean> {
  const row = await system.db
    .selectFrom('worker_heartbeats')
    .select((eb) => eb.fn.max('seen_at').as('newest'))
    .executeTakeFirst();
  return row?.newest ? system.clock.now().getTime() - row.newest.getTime() < FRESH_MS : false;
}
