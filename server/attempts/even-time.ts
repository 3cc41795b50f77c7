import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

const STEP = 10;
/**
 * Timers are exact to a millisecond, but the difference to hide is smaller, so the last milliseconds are waited out in
 * event-loop turns.
 */
const COARSE = 2;

/**
 * Runs work and returns at the next multiple of 10 ms since its start, so that the response time does not reveal
 * whether an account exists (ASVS 6.3.8; AU-6).
 */
export async function inEvenTime<T>(work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    return await work();
  } finally {
    const due = began + Math.ceil((performance.now() - began) / STEP) * STEP;
    const left = due - performance.now() - COARSE;
    if (left >= 1) await sleep(left);
    // biome-ignore lint/performance/noAwaitInLoops: waits
    while (performance.now() < due) await nextTurn();
  }
}
