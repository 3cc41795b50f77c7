import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually } from '#tests/harness.ts';
import { respondWith } from '#tests/receiver.ts';
import { HOUR, MINUTE, startWebhooks, type Webhooks } from '#tests/webhooks.ts';

let webhooks: Webhooks;
before(async () => {
  webhooks = await startWebhooks();
});
after(() => webhooks.stop());

describe('the schedule', () => {
  test('attempts are made 0, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h after one another, then no more', async () => {
    const { receiver, clock, deliveriesOf, endpointFor, happen, settled, remove } = webhooks;
    receiver.on('/never', respondWith(500));
    const { id } = await endpointFor('/never');
    await happen();
    const pauses: number[] = [];
    for (let attempt = 1; attempt < 10; attempt += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: attempts are sequential
      const { nextAttemptAt } = await eventually(async () => {
        const [delivery] = await deliveriesOf(id);
        assert.deepEqual([delivery.attemptCount, delivery.status], [attempt, 'retrying']);
        return delivery;
      });
      const pause = Date.parse(nextAttemptAt) - clock.now().getTime();
      pauses.push(pause);
      clock.advance(pause);
    }
    const expected = [5_000, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
    for (const [index, pause] of pauses.entries())
      assert.ok(pause >= (expected[index] ?? 0) && pause <= 1.1 * (expected[index] ?? 0), `${pause} at ${index}`);
    const delivery = await settled(id, 'failed');
    assert.deepEqual([delivery.attempts.length, delivery.nextAttemptAt], [10, null]);
    await remove(id);
  });

  test('an endpoint that has failed for five days is disabled; a success restarts the count', async () => {
    const { receiver, clock, admin, deliveriesOf, endpointFor, happen, remove } = webhooks;
    receiver.on('/sick', respondWith(500));
    const { id } = await endpointFor('/sick');
    let count = 0;
    const fail = async () => {
      count += 1;
      await happen();
      await eventually(async () => {
        const all = await deliveriesOf(id);
        assert.deepEqual([all.length, all[0]?.status], [count, 'retrying']);
      });
    };
    await fail();
    clock.advance(4 * 24 * HOUR);
    receiver.on('/sick', respondWith(200));
    await eventually(async () => assert.equal((await admin(`/endpoints/${id}`)).body.failingSince, null));
    receiver.on('/sick', respondWith(500));
    await fail();
    clock.advance(4 * 24 * HOUR);
    await fail();
    assert.equal((await admin(`/endpoints/${id}`)).body.enabled, true);
    clock.advance(24 * HOUR + MINUTE);
    await eventually(async () => assert.equal((await admin(`/endpoints/${id}`)).body.disabledReason, 'failing'));
    await remove(id);
  });

  test('disabling keeps waiting deliveries, and enabling continues them', async () => {
    const { receiver, clock, admin, deliveriesOf, endpointFor, happen, settled, remove } = webhooks;
    receiver.on('/paused', respondWith(500));
    const { id } = await endpointFor('/paused');
    await happen();
    await settled(id, 'retrying');
    await admin(`/endpoints/${id}/disable`, { method: 'POST' });
    receiver.on('/paused', respondWith(200));
    clock.advance(MINUTE);
    const other = await endpointFor('/ok');
    await happen();
    await settled(other.id, 'delivered');
    assert.equal((await deliveriesOf(id))[0]?.status, 'retrying');
    await admin(`/endpoints/${id}/enable`, { method: 'POST' });
    await settled(id, 'delivered');
    await Promise.all([remove(id), remove(other.id)]);
  });
});
