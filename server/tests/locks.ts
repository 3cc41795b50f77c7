import type { TestLatchkey } from './harness.ts';

/** Resolves when a statement of the test's database waits for a lock. */
export async function waitsForLock({ system }: TestLatchkey): Promise<void> {
  for (;;) {
    // biome-ignore lint/performance/noAwaitInLoops: polls
    const { rows } = await system.pool.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (rows.length > 0) return;
  }
}
