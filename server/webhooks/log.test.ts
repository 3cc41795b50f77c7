import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually, expectProblem, managementToken } from '#tests/harness.ts';
import { respondWith } from '#tests/receiver.ts';
import { HOUR, MINUTE, startWebhooks, type Webhooks } from '#tests/webhooks.ts';
import { deleteOldDeliveries } from './retention.ts';

let webhooks: Webhooks;
before(async () => {
  webhooks = await startWebhooks();
});
after(() => webhooks.stop());

const idsAt = (path: string) => webhooks.receiver.at(path).map(({ headers }) => headers['webhook-id']);

/** How many jobs of replays there are. */
async function replaysLeft(which = ''): Promise<number> {
  const { rows } = await webhooks.latchkey.system.pool.query(
    `select from graphile_worker.jobs where task_identifier = 'replay_webhooks' ${which}`,
  );
  return rows.length;
}

describe('log and repair', () => {
  test('deliveries are listed newest first, with pages and filters', async () => {
    const { clock, admin, deliveriesOf, endpointFor, happen, remove } = webhooks;
    const { id } = await endpointFor('/listed');
    for (let count = 1; count <= 5; count += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: the order matters
      await happen();
      await eventually(async () => assert.equal((await deliveriesOf(id, '&status=delivered')).length, count));
      clock.advance(1_000);
    }
    const all = await deliveriesOf(id);
    const first = await admin(`/deliveries?endpointId=${id}&limit=3`);
    const second = await admin(`/deliveries?endpointId=${id}&limit=3&cursor=${first.body.nextCursor}`);
    assert.deepEqual([...first.body.items, ...second.body.items], all);
    assert.equal(second.body.nextCursor, null);
    const times = all.map(({ createdAt }) => createdAt);
    assert.deepEqual(times, [...times].sort().reverse());
    expectProblem(await admin(`/deliveries?cursor=${first.body.nextCursor}`), 400, 'INVALID_CURSOR');
    assert.deepEqual(await deliveriesOf(id, '&eventType=user.created'), []);
    assert.deepEqual(await deliveriesOf(id, '&status=failed'), []);
    assert.equal((await deliveriesOf(id, `&since=${times[2]}`)).length, 3);
    assert.equal((await deliveriesOf(id, `&until=${times[2]}`)).length, 2);
    await remove(id);
  });

  test('a failed delivery can be retried by hand, with the same id', async () => {
    const { receiver, admin, endpointFor, happen, settled, remove } = webhooks;
    receiver.on('/broken', respondWith(410));
    const { id } = await endpointFor('/broken');
    await happen();
    const failed = await settled(id, 'failed');
    await eventually(async () => assert.equal((await admin(`/endpoints/${id}`)).body.enabled, false));
    expectProblem(await admin(`/deliveries/${failed.id}/retry`, { method: 'POST' }), 409, 'CONFLICT');
    await admin(`/endpoints/${id}/enable`, { method: 'POST' });
    receiver.on('/broken', respondWith(200));
    const retried = await admin(`/deliveries/${failed.id}/retry`, { body: {} });
    assert.equal(retried.status, 202, retried.text);
    const { attempts } = await settled(id, 'delivered');
    assert.deepEqual(
      attempts.map(({ trigger, statusCode }: { trigger: string; statusCode: number }) => [trigger, statusCode]),
      [
        ['event', 410],
        ['retry', 200],
      ],
    );
    assert.deepEqual([idsAt('/broken').length, new Set(idsAt('/broken')).size], [2, 1]);
    const unknown = await admin('/deliveries/dlv_01kaz3w9hqf8p9n2m4v5x6y7z8/retry', { method: 'POST' });
    expectProblem(unknown, 404, 'NOT_FOUND');
    await remove(id);
  });

  test('a time range can be replayed to a new endpoint, with the original ids', async () => {
    const { clock, admin, deliveriesOf, endpointFor, happen, remove } = webhooks;
    const old = await endpointFor('/old');
    clock.advance(MINUTE);
    const since = clock.now().toISOString();
    await Promise.all(Array.from({ length: 7 }, happen));
    await eventually(async () => assert.equal((await deliveriesOf(old.id, '&status=delivered')).length, 7));
    clock.advance(MINUTE);
    const until = clock.now().toISOString();
    await happen();
    await eventually(async () => assert.equal((await deliveriesOf(old.id, '&status=delivered')).length, 8));
    const fresh = await endpointFor('/fresh');
    const response = await admin(`/endpoints/${fresh.id}/replay`, { body: { since, until, types: ['user.logout'] } });
    assert.equal(response.status, 202, response.text);
    await eventually(async () => assert.equal((await deliveriesOf(fresh.id, '&status=delivered')).length, 7));
    assert.deepEqual(idsAt('/fresh').sort(), idsAt('/old').slice(0, 7).sort());
    const backwards = await admin(`/endpoints/${fresh.id}/replay`, { body: { since: until, until: since } });
    expectProblem(backwards, 400, 'VALIDATION_FAILED');
    await Promise.all([remove(old.id), remove(fresh.id)]);
  });

  test('recovering sends missed events, and none that arrived', async () => {
    const { latchkey, receiver, clock, admin, deliveriesOf, endpointFor, happen, settled, remove } = webhooks;
    const { id } = await endpointFor('/missed');
    clock.advance(MINUTE);
    const since = clock.now().toISOString();
    await happen();
    await settled(id, 'delivered');
    receiver.on('/missed', respondWith(410));
    await happen();
    await eventually(async () => assert.equal((await admin(`/endpoints/${id}`)).body.enabled, false));
    await happen();
    await happen();
    await eventually(async () => {
      const { rows } = await latchkey.system.pool.query('select from events where sequence is null');
      assert.equal(rows.length, 0);
    });
    receiver.on('/missed', respondWith(200));
    expectProblem(await admin(`/endpoints/${id}/recover`, { body: { since } }), 409, 'CONFLICT');
    await admin(`/endpoints/${id}/enable`, { method: 'POST' });
    assert.equal((await admin(`/endpoints/${id}/recover`, { body: { since } })).status, 202);
    await eventually(async () => assert.equal((await deliveriesOf(id, '&status=delivered')).length, 4));
    // Four events; the event that was refused with 410 arrives a second time.
    assert.deepEqual([idsAt('/missed').length, new Set(idsAt('/missed')).size], [5, 4]);
    await remove(id);
  });

  test('parallel recoveries send a missed event once', async () => {
    const { latchkey, clock, admin, deliveriesOf, endpointFor, happen, remove } = webhooks;
    const { id } = await endpointFor('/recovered');
    clock.advance(MINUTE);
    const since = clock.now().toISOString();
    await admin(`/endpoints/${id}/disable`, { method: 'POST' });
    await Promise.all(Array.from({ length: 20 }, happen));
    await eventually(async () => {
      const { rows } = await latchkey.system.pool.query('select from events where sequence is null');
      assert.equal(rows.length, 0);
    });
    await admin(`/endpoints/${id}/enable`, { method: 'POST' });
    const recover = () => admin(`/endpoints/${id}/recover`, { body: { since } });
    const responses = await Promise.all(Array.from({ length: 6 }, recover));
    assert.deepEqual([...new Set(responses.map(({ status }) => status))], [202]);
    await eventually(async () => assert.equal(await replaysLeft(), 0));
    await eventually(async () => assert.equal((await deliveriesOf(id, '&status=delivered')).length, 20));
    assert.deepEqual([idsAt('/recovered').length, new Set(idsAt('/recovered')).size], [20, 20]);
    await remove(id);
  });

  test('recovering sends an event that was being numbered while the endpoint was enabled', async () => {
    const { latchkey, clock, admin, deliveriesOf, endpointFor, happen, remove } = webhooks;
    const [{ id }, other] = await Promise.all([endpointFor('/enabled'), endpointFor('/other')]);
    clock.advance(MINUTE);
    const since = clock.now().toISOString();
    await admin(`/endpoints/${id}/disable`, { method: 'POST' });
    const held = await latchkey.system.pool.connect();
    try {
      // The numbering has read the enabled endpoints, and cannot commit.
      await held.query('begin');
      await held.query('lock table webhook_deliveries in share mode');
      await happen();
      await eventually(async () => {
        const { rows } = await latchkey.system.pool.query(
          `select from pg_locks where relation = 'webhook_deliveries'::regclass and not granted`,
        );
        assert.equal(rows.length, 1);
      });
      await admin(`/endpoints/${id}/enable`, { method: 'POST' });
      await admin(`/endpoints/${id}/recover`, { body: { since } });
      await eventually(async () => assert.equal(await replaysLeft('and locked_at is null'), 0));
    } finally {
      await held.query('rollback');
      held.release();
    }
    await eventually(async () => assert.equal((await deliveriesOf(id, '&status=delivered')).length, 1));
    assert.equal(idsAt('/enabled').length, 1);
    await Promise.all([remove(id), remove(other.id)]);
  });

  test('after `webhookLogDays` finished deliveries are deleted, and those that wait are still made', async () => {
    const { latchkey, receiver, clock, admin, deliveriesOf, endpointFor, happen, settled, remove } = webhooks;
    const settings = async (webhookLogDays: number) =>
      latchkey.api('/v1/admin/settings', {
        token: await managementToken(latchkey),
        method: 'PATCH',
        body: { webhookLogDays },
      });
    assert.equal((await settings(1)).status, 200);
    receiver.on('/paused', respondWith(500));
    const { id } = await endpointFor('/paused');
    const finished = await endpointFor('/finished');
    await happen();
    const { id: waiting } = await settled(id, 'retrying');
    await settled(finished.id, 'delivered');
    await admin(`/endpoints/${id}/disable`, { method: 'POST' });
    clock.advance(3 * 24 * HOUR);
    await deleteOldDeliveries(latchkey.system);
    assert.deepEqual(await deliveriesOf(finished.id), []);
    receiver.on('/paused', respondWith(200));
    await admin(`/endpoints/${id}/enable`, { method: 'POST' });
    assert.equal((await settled(id, 'delivered')).id, waiting);
    assert.equal((await settings(30)).status, 200);
    await Promise.all([remove(id), remove(finished.id)]);
  });

  test('a test event is sent to one endpoint, marked as an example, and counts in its stats', async () => {
    const { receiver, admin, endpointFor, settled, remove } = webhooks;
    const { id, secret } = await endpointFor('/tested', { events: ['session.revoked'] });
    const response = await admin(`/endpoints/${id}/test`, { body: { type: 'user.created' } });
    assert.equal(response.status, 202, response.text);
    await settled(id, 'delivered');
    const [got] = receiver.at('/tested');
    assert.ok(got);
    const event = JSON.parse(got.body);
    assert.deepEqual(
      [event.type, event.example, event.sequence, event.id],
      ['user.created', true, null, response.body.eventId],
    );
    assert.match(secret, /^whsec_/);
    const { body: stats } = await admin(`/endpoints/${id}/stats`);
    assert.deepEqual(stats.deliveries, { pending: 0, delivered: 1, retrying: 0, failed: 0, blocked: 0 });
    assert.deepEqual([stats.attempts.total, stats.attempts.succeeded, stats.successRate], [1, 1, 1]);
    assert.ok(stats.attempts.p50Ms >= 0);
    const invented = await admin(`/endpoints/${id}/test`, { body: { type: 'user.invented' } });
    expectProblem(invented, 400, 'VALIDATION_FAILED');
    await remove(id);
  });
});
