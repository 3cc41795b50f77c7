import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { emit } from '#events';
import { eventually } from '#tests/harness.ts';
import { drips, dripsHead, floods, hangs, resets, respondWith, startReceiver } from '#tests/receiver.ts';
import { startWebhooks, type Webhooks } from '#tests/webhooks.ts';

let webhooks: Webhooks;
before(async () => {
  webhooks = await startWebhooks();
});
after(() => webhooks.stop());

describe('a delivery', () => {
  test('WH-4 is the event, signed so that the official Standard Webhooks library accepts it', async () => {
    const { latchkey, receiver, clock, endpointFor, happen, settled, remove } = webhooks;
    const { id, secret } = await endpointFor('/ok');
    const userId = await happen();
    const delivery = await settled(id, 'delivered');
    const [got, ...others] = receiver.at('/ok');
    assert.ok(got);
    assert.equal(others.length, 0);
    const event = new Webhook(secret).verify(got.body, got.headers);
    const { workspaceId, projects } = latchkey.demo;
    const sent = JSON.parse(got.body);
    assert.deepEqual(event, {
      id: got.headers['webhook-id'],
      type: 'user.logout',
      occurredAt: clock.now().toISOString(),
      timestamp: clock.now().toISOString(),
      sequence: sent.sequence,
      workspaceId,
      projectId: projects[0]?.id,
      environment: 'test',
      actor: { kind: 'system', name: 'test' },
      correlationId: 'test',
      data: { userId, everywhere: false },
    });
    assert.ok(Number.isInteger(sent.sequence));
    assert.deepEqual(
      [delivery.eventId, delivery.eventType, delivery.attemptCount, delivery.nextAttemptAt],
      [sent.id, 'user.logout', 1, null],
    );
    const [attempt] = delivery.attempts;
    assert.deepEqual(
      { ...attempt, durationMs: 0 },
      {
        startedAt: clock.now().toISOString(),
        durationMs: 0,
        statusCode: 200,
        error: null,
        responseSnippet: null,
        trigger: 'event',
      },
    );
    assert.throws(() => new Webhook(secret).verify(`${got.body} `, got.headers));
    await remove(id);
  });

  test('is sent to the endpoints that select it, and to no other project', async () => {
    const { latchkey, receiver, deliveriesOf, endpointFor, happen, settled, remove } = webhooks;
    const [all, group, other, disabled] = await Promise.all([
      endpointFor('/all', { events: ['*'] }),
      endpointFor('/group', { events: ['user.*'] }),
      endpointFor('/other', { events: ['session.*'] }),
      endpointFor('/off', { enabled: false }),
    ]);
    await happen();
    await Promise.all([settled(all.id, 'delivered'), settled(group.id, 'delivered')]);
    await latchkey.inProject((tx) => emit(tx, 'user.logout', { userId: 'usr_elsewhere', everywhere: true }), {
      projectId: latchkey.demo.projects[1]?.id ?? 'prj_',
    });
    await happen();
    await eventually(async () => assert.equal((await deliveriesOf(group.id, '&status=delivered')).length, 2));
    assert.ok(!receiver.received.some(({ body }) => body.includes('usr_elsewhere')));
    assert.deepEqual([await deliveriesOf(other.id), await deliveriesOf(disabled.id)], [[], []]);
    await Promise.all([all, group, other, disabled].map(({ id }) => remove(id)));
  });

  test('WH-4 during the overlap of a rotation both secrets verify, afterwards only the new one', async () => {
    const { receiver, admin, endpointFor, happen, settled, remove } = webhooks;
    const { id, secret } = await endpointFor('/rotated');
    const rotated = await admin(`/endpoints/${id}/secret/rotate`, { body: { overlapSeconds: 3_600 } });
    assert.equal(rotated.status, 200, rotated.text);
    await happen();
    await settled(id, 'delivered');
    const verifies = (key: string, index: number) => {
      const got = receiver.at('/rotated')[index];
      assert.ok(got);
      try {
        return Boolean(new Webhook(key).verify(got.body, got.headers));
      } catch {
        return false;
      }
    };
    assert.deepEqual([verifies(secret, 0), verifies(rotated.body.secret, 0)], [true, true]);
    const now = await admin(`/endpoints/${id}/secret/rotate`, { body: { overlapSeconds: 0 } });
    await happen();
    await eventually(async () => assert.equal(receiver.at('/rotated').length, 2));
    assert.deepEqual(
      [verifies(secret, 1), verifies(rotated.body.secret, 1), verifies(now.body.secret, 1)],
      [false, false, true],
    );
    await remove(id);
  });

  test('WH-5 the response of the receiver is stored without anything that looks like a secret', async () => {
    const { receiver, endpointFor, happen, settled, remove } = webhooks;
    const { id, secret } = await endpointFor('/leaky', { headers: { 'x-api-key': 'static-credential' } });
    const random = 'abcdefghijklmnopqrstuvwxyz0123456789ABCD';
    const body = `boom\0 {"password":"hunter22"} Bearer abc.def ${secret} static-credential eyJhbGciOi.eyJzdWIi.sig ${random}`;
    receiver.on('/leaky', respondWith(500, {}, body));
    await happen();
    const { attempts } = await settled(id, 'retrying');
    assert.equal(
      attempts[0].responseSnippet,
      'boom {"password":[redacted]} [redacted] [redacted] [redacted] [redacted] [redacted]',
    );
    await remove(id);
  });

  test('connections are reused for the next delivery', async () => {
    const { admin, deliveriesOf, happen, remove } = webhooks;
    const deliveries = 5;
    const own = await startReceiver();
    const { body: created } = await admin('/endpoints', { body: { url: own.origin, events: ['user.logout'] } });
    for (let count = 1; count <= deliveries; count += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      await happen();
      await eventually(async () => assert.equal((await deliveriesOf(created.id, '&status=delivered')).length, count));
    }
    // A connection that is idle for seconds is closed, and a busy machine may take that long for one delivery.
    assert.ok(own.connections() < deliveries, `${own.connections()} connections`);
    await remove(created.id);
    await own.stop();
  });
});

describe('a receiver that misbehaves', () => {
  const expectations = [
    { path: '/500', behaviour: respondWith(500), status: 'retrying', statusCode: 500, error: null },
    { path: '/404', behaviour: respondWith(404), status: 'retrying', statusCode: 404, error: null },
    { path: '/reset', behaviour: resets, status: 'retrying', statusCode: null, error: /reset|closed/ },
    {
      path: '/redirect',
      behaviour: respondWith(302, { location: 'http://169.254.169.254/latest' }),
      status: 'retrying',
      statusCode: 302,
      error: /redirects are not followed/,
    },
    { path: '/flood', behaviour: floods, status: 'delivered', statusCode: 200, error: null },
    { path: '/hang', behaviour: hangs, status: 'retrying', statusCode: null, error: /timed out/ },
    { path: '/drip-head', behaviour: dripsHead, status: 'retrying', statusCode: null, error: /timed out/ },
    { path: '/drip', behaviour: drips, status: 'delivered', statusCode: 200, error: null },
  ] as const;

  test('WH-2 each case has its expected outcome within the time limit, all at once', async () => {
    const { receiver, endpointFor, happen, settled, remove } = webhooks;
    const began = performance.now();
    const endpoints = await Promise.all(
      expectations.map(async ({ path, behaviour }) => {
        receiver.on(path, behaviour);
        return endpointFor(path);
      }),
    );
    await happen();
    const found = await Promise.all(endpoints.map(({ id }, index) => settled(id, expectations[index]?.status ?? '')));
    assert.ok(performance.now() - began < 40_000, 'one after the other they would take a minute');
    for (const [index, { statusCode, error, path }] of expectations.entries()) {
      const [attempt] = found[index].attempts;
      assert.equal(attempt.statusCode, statusCode, path);
      if (error === null) assert.equal(attempt.error, null, path);
      else assert.match(attempt.error, error, path);
      assert.ok((attempt.responseSnippet ?? '').length <= 500, path);
    }
    const metrics = await webhooks.latchkey.system.metrics.metrics();
    for (const result of ['delivered', 'retrying'])
      assert.match(metrics, new RegExp(`^latchkey_webhook_attempts_total\\{result="${result}"\\} [1-9]`, 'm'));
    assert.match(metrics, /^latchkey_webhook_attempt_duration_seconds_count [1-9]/m);
    await Promise.all(endpoints.map(({ id }) => remove(id)));
  });

  test('WH-2 an address that became private is refused on connecting, and not called again', async () => {
    const { latchkey, endpointFor, happen, settled, remove } = webhooks;
    const { id } = await endpointFor('/ok');
    await latchkey.system.pool.query(`update webhook_endpoints set url = 'http://10.1.2.3/' where id = $1`, [id]);
    await happen();
    const { attempts, nextAttemptAt } = await settled(id, 'blocked');
    assert.deepEqual([attempts[0].statusCode, nextAttemptAt], [null, null]);
    assert.match(attempts[0].error, /not a public address/);
    await remove(id);
  });

  test('410 disables the endpoint, notifies the owner and emits an event', async () => {
    const { latchkey, receiver, admin, endpointFor, happen, settled, remove } = webhooks;
    receiver.on('/gone', respondWith(410));
    const { id, url } = await endpointFor('/gone', { description: 'Old shop' });
    await happen();
    await settled(id, 'failed');
    await eventually(async () => {
      const { body } = await admin(`/endpoints/${id}`);
      assert.deepEqual([body.enabled, body.disabledReason], [false, 'gone']);
    });
    const { rows } = await latchkey.system.pool.query(
      `select data from events where type = 'webhook.endpoint.disabled' and data->>'endpointId' = $1`,
      [id],
    );
    assert.deepEqual(rows, [{ data: { endpointId: id, url, reason: 'gone' } }]);
    const subject = 'Webhooks to Old shop were disabled';
    await eventually(async () => {
      const { body } = await latchkey.console(`/dev/inbox?to=${latchkey.demo.environments.test.owner.email}`);
      const mail = body.items.find((one: { subject: string }) => one.subject === subject);
      assert.match(mail?.text ?? '', /returned 410 Gone/);
    });
    await remove(id);
  });

  for (const status of [429, 503])
    test(`Retry-After of a ${status} pauses the whole endpoint until then`, async () => {
      const { receiver, clock, admin, deliveriesOf, endpointFor, happen, settled, remove } = webhooks;
      const path = `/busy-${status}`;
      receiver.on(path, respondWith(status, { 'retry-after': '120' }));
      const { id } = await endpointFor(path);
      await happen();
      const { nextAttemptAt } = await settled(id, 'retrying');
      assert.equal(nextAttemptAt, new Date(clock.now().getTime() + 120_000).toISOString());
      await eventually(async () => assert.equal((await admin(`/endpoints/${id}`)).body.pausedUntil, nextAttemptAt));
      await happen();
      await eventually(async () => assert.equal((await deliveriesOf(id)).length, 2));
      clock.advance(60_000);
      // Another delivery arrives meanwhile, which shows that the queue has been polled.
      const other = await endpointFor('/ok');
      await happen();
      await settled(other.id, 'delivered');
      assert.equal(receiver.at(path).length, 1);
      receiver.on(path, respondWith(200));
      clock.advance(61_000);
      await eventually(async () => assert.equal((await deliveriesOf(id, '&status=delivered')).length, 3));
      await Promise.all([remove(id), remove(other.id)]);
    });
});
