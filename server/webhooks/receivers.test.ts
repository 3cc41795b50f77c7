import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { eventually } from '#tests/harness.ts';
import { answers } from '#tests/receiver.ts';
import { MINUTE, startWebhooks, type Webhooks } from '#tests/webhooks.ts';
import { checkReceiverAddress, putReceiver, removeReceiver, sendTo } from '#webhooks';

let webhooks: Webhooks;
before(async () => {
  webhooks = await startWebhooks();
});
after(() => webhooks.stop());

const subscriber = { purpose: 'status', key: 'sub_1' };

describe('deliveries for other parts', () => {
  test('a message that a part queues is signed and delivered when its transaction commits, and never when it does not', async () => {
    const { latchkey, receiver, admin } = webhooks;
    const secret = await latchkey.inProject((tx) => putReceiver(tx, subscriber, `${receiver.origin}/status`));
    assert.ok(secret);
    const body = { type: 'status.incident', data: { phase: 'resolved' } };
    await assert.rejects(
      latchkey.inProject(async (tx) => {
        await sendTo(tx, subscriber, { type: 'rolled.back', body: {} });
        throw new Error('changed my mind');
      }),
    );
    assert.equal(await latchkey.inProject((tx) => sendTo(tx, subscriber, { type: body.type, body })), true);
    await eventually(async () => assert.equal(receiver.at('/status').length, 1));
    const [got] = receiver.at('/status');
    assert.ok(got);
    assert.deepEqual(new Webhook(secret).verify(got.body, got.headers), body);
    assert.ok(!(await admin('/endpoints')).text.includes('/status'), 'it is no endpoint of the project');
  });

  test('it is retried like any other, keeps its secret when it moves, and ends when it is removed', async () => {
    const { latchkey, receiver, clock } = webhooks;
    receiver.on('/moved', answers(500));
    const again = await latchkey.inProject((tx) => putReceiver(tx, subscriber, `${receiver.origin}/moved`));
    assert.equal(again, null);
    const message = { type: 'status.incident', body: { n: 2 }, id: 'evt_01kaz3w9hqf8p9n2m4v5x6y7z8' } as const;
    await latchkey.inProject((tx) => sendTo(tx, subscriber, message));
    await eventually(async () => {
      const { rows } = await latchkey.system.pool.query(`select status from webhook_deliveries where event_id = $1`, [
        message.id,
      ]);
      assert.equal(rows[0].status, 'retrying');
    });
    receiver.on('/moved', answers(200));
    clock.advance(MINUTE);
    await eventually(async () => assert.equal(receiver.at('/moved').length, 2));
    assert.deepEqual(
      receiver.at('/moved').map(({ headers }) => headers['webhook-id']),
      [message.id, message.id],
    );
    await latchkey.inProject((tx) => removeReceiver(tx, subscriber));
    assert.equal(await latchkey.inProject((tx) => sendTo(tx, subscriber, message)), false);
    assert.notEqual(await latchkey.inProject((tx) => putReceiver(tx, subscriber, `${receiver.origin}/new`)), null);
  });

  test('WH-2 its address is checked like any other', async () => {
    await assert.rejects(
      webhooks.latchkey.inProject((tx) => checkReceiverAddress(tx, 'http://169.254.169.254/')),
      { code: 'VALIDATION_FAILED' },
    );
  });
});
