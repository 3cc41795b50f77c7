import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { startSecondProcess } from '#tests/second-process.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ settings: { LATCHKEY_ROLES: 'auth,api,status,console,worker' } });
});
after(() => latchkey.stop());

const PATH = '/api/status/summary';

test('another process of all roles starts beside one that leads all roles', async (t) => {
  const second = await startSecondProcess(latchkey);
  t.after(() => second.stop());
  assert.equal((await second.api(PATH, '')).status, 200);
});

describe('GET /api/status/summary', () => {
  test('200 on every host, with the environment of the host', async () => {
    const hosts = [
      latchkey.auth(PATH),
      latchkey.api(PATH),
      latchkey.auth(PATH, {}, 'production'),
      latchkey.api(PATH, {}, 'production'),
      latchkey.console(PATH),
      latchkey.console(`${PATH}?environment=test`),
    ];
    const responses = await Promise.all(hosts);
    assert.deepEqual(
      responses.map(({ status, body }) => [status, body.environment]),
      [
        [200, 'test'],
        [200, 'test'],
        [200, 'production'],
        [200, 'production'],
        [200, 'production'],
        [200, 'test'],
      ],
    );
  });

  test('has the fields of the interface', async () => {
    const { body, headers } = await latchkey.api(PATH);
    assert.deepEqual(Object.keys(body).sort(), [
      'environment',
      'generatedAt',
      'groups',
      'incidents',
      'lastKnownAt',
      'maintenances',
      'overallStatus',
      'severity',
      'subscriptionChannels',
      'summary',
    ]);
    assert.equal(headers.get('cache-control'), 'public, max-age=60');
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
    assert.deepEqual(body.subscriptionChannels, ['email', 'webhook', 'slack', 'teams', 'discord']);
    assert.deepEqual(
      body.groups.map(({ id, components }: { id: string; components: { id: string }[] }) => [
        id,
        components.map((component) => component.id),
      ]),
      [
        ['sign-in', ['auth', 'sign_in', 'oidc']],
        ['integration', ['api', 'webhooks', 'email']],
        ['platform', ['console', 'database', 'worker']],
      ],
    );
  });

  test('304 for its ETag, in each form a client may send', async () => {
    await eventually(async () => assert.equal((await latchkey.api(PATH)).body.summary, 'All systems are operational.'));
    const etag = (await latchkey.api(PATH)).headers.get('etag') ?? '';
    for (const header of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const response = await latchkey.api(PATH, { headers: { 'if-none-match': header } });
      assert.deepEqual([response.status, response.text, response.headers.get('etag')], [304, '', etag], header);
    }
    assert.equal((await latchkey.api(PATH, { headers: { 'if-none-match': '"other"' } })).status, 200);
  });

  test('becomes operational by its own probes of the hosts, the database and the worker', async () => {
    await eventually(async () => {
      const { body } = await latchkey.api(PATH);
      assert.equal(body.overallStatus, 'operational');
      assert.ok(Date.now() - Date.parse(body.generatedAt) < 120_000);
      const { rows } = await latchkey.system.pool.query('select measured_at from status_boards');
      assert.ok(rows.every(({ measured_at }) => measured_at !== null));
    });
  });
});
