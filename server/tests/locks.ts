import assert from 'node:assert/strict';
import { eventually, type TestLatchkey } from './harness.ts';
import { CLUSTER } from './postgres.ts';

/** The statements that run; on a Citus cluster those of all servers, because they wait where the rows are. */
const ACTIVITY = CLUSTER === null ? 'pg_stat_activity' : 'citus_stat_activity';

/** Resolves when as many statements of the test's database wait for a lock. */
export function waitsForLock({ system }: TestLatchkey, count = 1): Promise<void> {
  return eventually(async () => {
    const { rows } = await system.pool.query(
      `select 1 from ${ACTIVITY} where datname = current_database() and wait_event_type = 'Lock'`,
    );
    assert.ok(rows.length >= count, `${rows.length} statements wait for a lock, not ${count}`);
  });
}
