import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { repeat } from './repeating.ts';

const logged: string[] = [];
let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ log: (line) => logged.push(line), settings: { LATCHKEY_LOG_LEVEL: 'warn' } });
});
after(() => latchkey.stop());

test('works know nothing of each other: a failure is logged by name, a long one is not begun twice, and the end waits for it', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const long = Promise.withResolvers<void>();
  const broken = mock.fn(() => Promise.reject(new Error('no luck')));
  const slow = mock.fn(() => long.promise);
  const quick = mock.fn(() => Promise.resolve());
  const repeating = repeat(latchkey.system, 60_000, { broken, slow, quick });
  for (let round = 0; round < 3; round += 1) {
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
