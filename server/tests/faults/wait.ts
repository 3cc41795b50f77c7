import { setTimeout as pause } from 'node:timers/promises';

/** Far longer than anything takes to work again. */
const LIMIT_MS = 120_000;

/** Polls until a check passes; an error counts as not yet. @returns false if it did not in time */
export async function waitUntil(check: () => boolean | Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + LIMIT_MS;
  const passes = async () => check();
  while (performance.now() < deadline) {
    // biome-ignore lint/performance/noAwaitInLoops: polls
    if (await passes().catch(() => false)) return true;
    await pause(50);
  }
  return false;
}
