import assert from 'node:assert/strict';
import { eventually, type TestLatchkey } from './harness.ts';

/** Resolves when a statement of the test's database waits for a lock. */
export function waitsForLock({ system }: TestLatchkey): Promise<void> {
  return eventually(async () => {
    const { rows } = await system.pool.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    assert.ok(rows.length > 0, 'no statement waits for a lock');
  });
}
