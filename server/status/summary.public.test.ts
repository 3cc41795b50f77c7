import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

const PATH = '/api/status/summary';

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
    const answers = await Promise.all(hosts);
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.environment]),
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
      'maintenances',
      'overallStatus',
      'severity',
      'subscriptionChannels',
      'summary',
    ]);
    assert.equal(headers.get('cache-control'), 'public, max-age=60');
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
    assert.deepEqual(
      body.groups[0].components.map(({ id }: { id: string }) => id),
      ['auth', 'api', 'database', 'worker'],
    );
  });

  test('304 for the ETag it gave, in each form a client may send it', async () => {
    const etag = (await latchkey.api(PATH)).headers.get('etag') ?? '';
    for (const header of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const answer = await latchkey.api(PATH, { headers: { 'if-none-match': header } });
      assert.deepEqual([answer.status, answer.text, answer.headers.get('etag')], [304, '', etag], header);
    }
    assert.equal((await latchkey.api(PATH, { headers: { 'if-none-match': '"other"' } })).status, 200);
  });

  test('becomes operational by its own probes of the hosts, the database and the worker', async () => {
    await eventually(async () => {
      const { body } = await latchkey.api(PATH);
      assert.equal(body.overallStatus, 'operational');
      assert.ok(Date.now() - Date.parse(body.generatedAt) < 120_000);
    });
  });
});
