import assert from 'node:assert/strict';
import { eventually, type TestLatchkey } from './harness.ts';

/** Resolves when as many statements of the test's database wait for a lock. */
export function waitsForLock({ system }: TestLatchkey, count = 1): Promise<void> {
  return eventually(async () => {
    const { rows } = await system.pool.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    assert.ok(rows.length >= count, `${rows.length} statements wait for a lock, not ${count}`);
  });
}
