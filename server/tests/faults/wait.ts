import { setTimeout as pause } from 'node:timers/promises';

/** Longer than any recovery takes on a busy machine. */
const LIMIT_MS = 300_000;

/** Polls until a check returns true; an error counts as false. @returns false if the check did not pass in time */
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

/** {@link waitUntil} for what the next step needs. @throws Error if the check did not pass in time */
export async function expectSoon(what: string, check: () => boolean | Promise<boolean>): Promise<void> {
  if (!(await waitUntil(check))) throw new Error(`not within ${LIMIT_MS / 1_000} s: ${what}`);
}
