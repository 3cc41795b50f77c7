import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { part as statusPart } from '#status';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { deleteOldLimits } from './limits.ts';
import { eachAlone, repeat } from './repeating.ts';

const logged: string[] = [];
let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ log: (line) => logged.push(line), settings: { LATCHKEY_LOG_LEVEL: 'warn' } });
});
after(() => latchkey.stop());

test('works are independent: a failure is logged by name, a slow one does not overlap itself, and stop waits for it', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const long = Promise.withResolvers<void>();
  const broken = mock.fn(() => Promise.reject(new Error('no luck')));
  const slow = mock.fn(() => long.promise);
  const quick = mock.fn(() => Promise.resolve());
  const repeating = repeat(latchkey.system, 60_000, { broken, slow, quick });
  t.mock.timers.tick(20_000);
  assert.deepEqual([broken.mock.callCount(), quick.mock.callCount()], [1, 0], 'they take turns');
  t.mock.timers.tick(40_000);
  await new Promise(setImmediate);
  for (let round = 1; round < 3; round += 1) {
    t.mock.timers.tick(60_000);
    // biome-ignore lint/performance/noAwaitInLoops: rounds follow one another
    await new Promise(setImmediate);
  }
  assert.deepEqual(
    [broken, slow, quick].map((work) => work.mock.callCount()),
    [3, 1, 3],
  );
  const ours = logged.map((line) => JSON.parse(line)).filter(({ work }) => work !== undefined);
  assert.deepEqual(
    ours.map(({ work, err }) => [work, err.message]),
    Array(3).fill(['broken', 'no luck']),
  );
  let stopped = false;
  const stopping = repeating.stop().then(() => {
    stopped = true;
  });
  await new Promise(setImmediate);
  assert.equal(stopped, false);
  long.resolve();
  await stopping;
  t.mock.timers.tick(60_000);
  assert.equal(quick.mock.callCount(), 3);
});

test('a record that fails does not delay the others, and is logged with its project', async () => {
  logged.length = 0;
  const rows = ['one', 'two', 'three'].map((id) => ({
    workspace_id: 'wrk_1',
    project_id: 'prj_1',
    environment: 'test',
    id,
    secret: 'not for the log',
  }));
  const done: string[] = [];
  await eachAlone(latchkey.system, rows, async ({ id }) => {
    if (id === 'two') throw new Error('no luck');
    done.push(id);
  });
  assert.deepEqual(done, ['one', 'three']);
  const ours = logged.filter((line) => line.includes('no luck'));
  assert.equal(ours.length, 1);
  assert.equal(JSON.parse(ours[0] ?? '').projectId, 'prj_1');
  assert.ok(!ours[0]?.includes('not for the log'));
});

test('stale records are deleted: limits of past periods, workers silent for long', async () => {
  const { system } = latchkey;
  await system.pool.query(`insert into rate_limits values ('over', 1, $1), ('on', 1, $2)`, [
    Date.now() - 1_000,
    Date.now() + 60_000,
  ]);
  await system.pool.query(`insert into worker_heartbeats values ('gone', now() - interval '2 days'), ('here', now())`);
  await deleteOldLimits(system);
  await statusPart.cleanUps.removeSilentWorkers(system);
  const keys = async (column: string, table: string) =>
    (await system.pool.query(`select ${column} as key from ${table}`)).rows.map(({ key }) => key);
  const [limits, workers] = [await keys('key', 'rate_limits'), await keys('worker', 'worker_heartbeats')];
  assert.deepEqual([limits.includes('over'), limits.includes('on')], [false, true]);
  assert.deepEqual([workers.includes('gone'), workers.includes('here')], [false, true]);
});
