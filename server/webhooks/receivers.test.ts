import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { observeStatements } from '#platform/db.ts';
import { eventually } from '#tests/harness.ts';
import { respondWith } from '#tests/receiver.ts';
import { MINUTE, startWebhooks, type Webhooks } from '#tests/webhooks.ts';
import { checkReceiverAddress, deleteReceiver, putReceiver, sendTo, sendToAddresses } from '#webhooks';

let webhooks: Webhooks;
before(async () => {
  webhooks = await startWebhooks();
});
after(() => webhooks.stop());

const subscriber = { purpose: 'status', key: 'sub_1' };

describe('deliveries for other parts', () => {
  test('a message of a part is signed and delivered if its transaction commits, and never otherwise', async () => {
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

  test('it is retried like any other, keeps its secret when its address changes, and ends when it is removed', async () => {
    const { latchkey, receiver, clock } = webhooks;
    receiver.on('/moved', respondWith(500));
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
    receiver.on('/moved', respondWith(200));
    clock.advance(MINUTE);
    await eventually(async () => assert.equal(receiver.at('/moved').length, 2));
    assert.deepEqual(
      receiver.at('/moved').map(({ headers }) => headers['webhook-id']),
      [message.id, message.id],
    );
    await latchkey.inProject((tx) => deleteReceiver(tx, subscriber));
    assert.equal(await latchkey.inProject((tx) => sendTo(tx, subscriber, message)), false);
    assert.notEqual(await latchkey.inProject((tx) => putReceiver(tx, subscriber, `${receiver.origin}/new`)), null);
  });

  test('messages to many addresses take as many statements as one, also if some share an address', async () => {
    const { latchkey, receiver } = webhooks;
    const send = async (keys: string[]) => {
      const statements: string[] = [];
      const stop = observeStatements((statement) => statements.push(statement));
      const messages = keys.map((key, n) => ({ key, url: `${receiver.origin}/of-${key}`, type: 'told', body: { n } }));
      await latchkey.inProject((tx) => sendToAddresses(tx, 'many', messages)).finally(stop);
      return statements.filter((text) => /^\s*insert into "?webhook_(endpoints|deliveries)/.test(text)).length;
    };
    assert.deepEqual([await send(['a', 'b', 'c', 'b']), await send(['a'])], [2, 2]);
    const numbers = (path: string) => receiver.at(path).map(({ body }) => JSON.parse(body).n);
    await eventually(async () => assert.deepEqual([...numbers('/of-b')].sort(), [1, 3]));
    await eventually(async () => assert.deepEqual([numbers('/of-a'), numbers('/of-c')], [[0, 0], [2]]));
  });

  test('WH-2 its address is checked like any other', async () => {
    const { system, inProject } = webhooks.latchkey;
    const scope = await inProject(async (tx) => tx.scope);
    await assert.rejects(checkReceiverAddress({ system, scope }, 'http://169.254.169.254/'), {
      code: 'VALIDATION_FAILED',
    });
  });
});
