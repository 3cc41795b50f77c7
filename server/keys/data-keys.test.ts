import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, startTestLatchkey } from '#tests/harness.ts';

test('after the data keys could not be read, a process reads them again and trusts its caches again', async (t) => {
  const lines: string[] = [];
  const latchkey = await startTestLatchkey({
    settings: { LATCHKEY_LOG_LEVEL: 'warn' },
    log: (line) => lines.push(line),
  });
  t.after(() => latchkey.stop());
  const { pool, feed } = latchkey.system;
  await eventually(async () => assert.equal(feed.live, true));
  await pool.query('alter table data_keys rename to data_keys_away');
  await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'latchkey-feed%' and datname = current_database()`,
  );
  await eventually(async () => assert.ok(lines.some((line) => line.includes('"data_keys\\" does not exist'))));
  await pool.query('alter table data_keys_away rename to data_keys');
  await eventually(async () => assert.equal(feed.live, true));
});
