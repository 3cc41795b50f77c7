import { perSystem, type System } from '#platform/system.ts';

/** Events of this many milliseconds are announced together. */
const GATHER_MS = 10;

export const EVENTS_CHANNEL = 'latchkey_events';

const waking = perSystem<{ timer: NodeJS.Timeout | null }>(() => ({ timer: null }));

/**
 * Tells the dispatcher that there are events to number. Sent after the commit and gathered, because a NOTIFY inside the
 * transaction would make committing writers wait for each other. A lost call costs nothing: the dispatcher sweeps.
 */
export function wakeDispatcher(system: System): void {
  const state = waking(system);
  if (state.timer) return;
  state.timer = setTimeout(() => {
    state.timer = null;
    system.pool
      .query(`notify ${EVENTS_CHANNEL}`)
      .catch((error: unknown) => system.log.debug({ err: error }, 'dispatcher not woken'));
  }, GATHER_MS);
  state.timer.unref();
}
