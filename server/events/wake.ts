import { sql } from 'kysely';
import { perSystem, type SystemInTx } from '#platform/system.ts';

/** The window, in milliseconds, in which wake-ups are batched. */
const BATCH_MS = 10;

export const EVENTS_CHANNEL = 'latchkey_events';

/**
 * Wakes the dispatcher to number events. Sent after the commit and batched, because a NOTIFY inside the transaction
 * would serialise commits. A lost wake-up is harmless: the dispatcher also sweeps.
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
    }, BATCH_MS).unref();
  };
});
