import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';

/** The advisory locks of a database, one number each, for all Latchkey processes. */
export const advisoryLocks = {
  /** Held while migrating. */
  migration: 7_154_223,
  /** Held by the process that numbers events. */
  eventDispatcher: 7_154_224,
  /** Held while signing keys are rotated, or data keys are created or replaced. */
  keyRotation: 7_154_226,
  /** Held by the process that measures the status. */
  statusLeader: 7_154_227,
  /** Held while the built-in workspace is created or its addresses change. */
  consoleSetUp: 7_154_228,
  /** Held by the first start in development mode, which creates the demo. */
  firstStart: 7_154_229,
  /** Held by the process that makes or verifies a backup. */
  backup: 7_154_230,
} as const;

const POLL_MS = 100;

/**
 * Takes a lock that a connection holds until it ends. It asks again and again, because a statement that waits for the lock
 * would make an index wait that the holder builds concurrently, and both would wait for each other.
 * @param wait the message for a person if another process has the lock
 */
export async function takeLock(
  client: pg.Client,
  lock: number,
  { text, tell }: { text: string; tell: (line: string) => void },
): Promise<void> {
  const take = async () => {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [lock]);
    return rows[0]?.taken;
  };
  if (await take()) return;
  tell(text);
  // biome-ignore lint/performance/noAwaitInLoops: polls
  while (!(await take())) await pause(POLL_MS);
}
