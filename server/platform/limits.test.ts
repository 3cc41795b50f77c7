import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { type Ctx, systemCtx } from './ctx.ts';
import { type Limit, limitKey, limits, settle, settleSoon, takeInOrder } from './limits.ts';

const FIRST_POINTS = 2;
const rules = limits({
  'test-first': { points: FIRST_POINTS, seconds: 60 },
  'test-second': { points: 50, seconds: 60 },
});

let latchkey: TestLatchkey;
let ctx: Ctx;
let first: Limit;
let second: Limit;
before(async () => {
  latchkey = await startTestLatchkey();
  const { scope } = await latchkey.inProject(async (tx) => tx);
  ctx = systemCtx(latchkey.system, scope, 'test', 'test');
  ({ 'test-first': first, 'test-second': second } = rules(latchkey.system));
});
after(() => latchkey.stop());

describe('limits that are counted in one statement', () => {
  test('count the first calls of new keys at the same moment, too', async () => {
    const keys = Array.from({ length: 30 }, (_, index) => limitKey('new', String(index)));
    const calls = Array.from({ length: 10 }, (_, index) => index + 1);
    const counts = await Promise.all(
      keys.map(async (key) => {
        const counters = [first, second].map((limit) => ({ limit, key }));
        const taken = await Promise.all(calls.map(() => takeInOrder(ctx, counters)));
        assert.equal(taken.filter((results) => results.length === 2).length, FIRST_POINTS);
        return taken.map(([one]) => Number(one?.count)).toSorted((a, b) => a - b);
      }),
    );
    for (const counted of counts) assert.deepEqual(counted, calls);
  });

  test('hold under concurrent calls; what the first refuses does not count for the second', async () => {
    const key = limitKey('concurrent');
    const counters = [
      { limit: first, key },
      { limit: second, key },
    ];
    const taken = await Promise.all(Array.from({ length: 20 }, () => takeInOrder(ctx, counters)));
    assert.deepEqual(taken.map((results) => results.length).sort(), [...Array.from({ length: 18 }, () => 1), 2, 2]);
    assert.deepEqual(
      taken.map(([only]) => only?.count).sort((a, b) => Number(a) - Number(b)),
      Array.from({ length: 20 }, (_, n) => n + 1),
    );
    assert.equal((await second.take(ctx, key)).count, 3);
    await settle(ctx, { forget: [[first, key]], giveBack: [[second, key]] });
    assert.deepEqual(
      (await takeInOrder(ctx, counters)).map(({ allowed, count }) => [allowed, count]),
      [
        [true, 1],
        [true, 3],
      ],
    );
  });

  test('are counted after a reset that nobody waits for', async () => {
    const key = limitKey('reset');
    for (let round = 0; round < 10; round += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.equal((await first.take(ctx, key)).count, 1);
      settleSoon(ctx, { forget: [[first, key]], giveBack: [] });
    }
  });

  test('counting and settling at the same time never wait for each other in a circle', async () => {
    const [one, other] = [limitKey('one'), limitKey('other')];
    const counters = [
      { limit: second, key: one },
      { limit: first, key: one },
      { limit: first, key: other },
    ];
    const work = Array.from({ length: 60 }, (_, index) =>
      index % 2 === 0
        ? takeInOrder(ctx, counters)
        : settle(ctx, {
            forget: [
              [first, one],
              [first, other],
            ],
            giveBack: [[second, one]],
          }),
    );
    assert.equal((await Promise.all(work)).length, 60);
  });
});
