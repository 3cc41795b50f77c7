import { sql } from 'kysely';
import { perSystem, type SystemInTx } from '#platform/system.ts';

/** Events of this many milliseconds are announced together. */
const GATHER_MS = 10;

export const EVENTS_CHANNEL = 'latchkey_events';

/**
 * Tells the dispatcher that there are events to number. Sent after the commit and gathered, because a NOTIFY inside the
 * transaction would make committing writers wait for each other. A lost call costs nothing: the dispatcher sweeps.
 */
export const wakeDispatcher = (system: SystemInTx): void => wakers(system)();

const wakers = perSystem(({ db, log }) => {
  let timer: NodeJS.Timeout | null = null;
  return () => {
    if (timer) return;
    timer = setTimeout(() => {
      timer = null;
      sql
        .raw(`notify ${EVENTS_CHANNEL}`)
        .execute(db)
        .catch((error: unknown) => log.debug({ err: error }, 'dispatcher not woken'));
    }, GATHER_MS).unref();
  };
});
