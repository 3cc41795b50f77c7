import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { anonymiseEvents, emit } from '#events';
import { newId } from '#platform/ids.ts';
import { eventually } from '#tests/harness.ts';
import { startWebhooks, type Webhooks } from '#tests/webhooks.ts';
import { putReceiver, sendTo } from './receivers.ts';

let webhooks: Webhooks;
before(async () => {
  webhooks = await startWebhooks();
});
after(() => webhooks.stop());

describe('the payload of a delivery', () => {
  test('is the exact body that the receiver got, with its headers, without credentials', async () => {
    const { receiver, endpointFor, happen, settled } = webhooks;
    const headers = { 'x-api-key': 'static-credential', 'x-shop': 'berlin' };
    const { id } = await endpointFor('/payload', { headers });
    await happen();
    const { payload, eventId } = await settled(id, 'delivered');
    const [got] = receiver.at('/payload');
    assert.ok(got);
    assert.deepEqual([payload.state, payload.body], ['kept', got.body]);
    assert.deepEqual(payload.headers, {
      'content-type': got.headers['content-type'],
      'user-agent': got.headers['user-agent'],
      'webhook-id': eventId,
      'x-api-key': '[redacted]',
      'x-shop': got.headers['x-shop'],
    });
  });

  test('of a test is the example that was sent', async () => {
    const { receiver, admin, endpointFor, settled } = webhooks;
    const { id } = await endpointFor('/example');
    await admin(`/endpoints/${id}/test`, { body: {} });
    const { payload } = await settled(id, 'delivered');
    assert.deepEqual([payload.state, payload.body], ['kept', receiver.at('/example')[0]?.body]);
  });

  test('says that personal data was erased, and later that the event is gone', async () => {
    const { latchkey, admin, endpointFor, settled } = webhooks;
    const { id } = await endpointFor('/person', { events: ['invitation.created'] });
    const invitationId = newId('inv', webhooks.clock.now());
    await latchkey.inProject((tx) =>
      emit(tx, 'invitation.created', { invitationId, email: 'ada@example.com', organizationId: null }),
    );
    const { id: deliveryId, payload, eventId } = await settled(id, 'delivered');
    assert.match(payload.body, /ada@example\.com/);
    await latchkey.inProject((tx) => anonymiseEvents(tx, newId('usr', tx.now), ['ada@example.com']));
    const erased = (await admin(`/deliveries/${deliveryId}`)).body.payload;
    assert.equal(erased.state, 'erased');
    assert.doesNotMatch(erased.body, /ada@example/);
    await latchkey.system.pool.query('delete from events where id = $1', [eventId]);
    const gone = (await admin(`/deliveries/${deliveryId}`)).body.payload;
    assert.deepEqual([gone.state, gone.body], ['gone', null]);
  });

  test('to a receiver of another part is never shown', async () => {
    const { latchkey, receiver, admin } = webhooks;
    await latchkey.inProject(async (tx) => {
      const key = { purpose: 'status', key: 'sub_1' };
      await putReceiver(tx, key, `${receiver.origin}/internal`);
      await sendTo(tx, key, { type: 'status.subscription.confirm', body: { confirmUrl: 'https://x/confirm?token=1' } });
    });
    await eventually(async () => {
      const { items } = (await admin('/deliveries?eventType=status.subscription.confirm')).body;
      assert.equal(items.length, 1);
      const { body, text } = await admin(`/deliveries/${items[0].id}`);
      assert.deepEqual(body.payload, { state: 'internal', body: null, headers: {} });
      assert.doesNotMatch(text, /token=1/);
    });
  });
});
