import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { createProvider } from '#identity-providers';
import { eventually, expectProblem, managementToken, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

/** A slow provider: it holds its responses back until the test releases them. */
const waiting: (() => void)[] = [];
let asked = 0;
const slow = createServer((_request, response) => {
  asked += 1;
  waiting.push(() => response.writeHead(404).end());
});

let latchkey: TestLatchkey;
let token: string;
let path: string;
before(async () => {
  latchkey = await startTestLatchkey();
  token = await managementToken(latchkey);
  slow.listen(0, '127.0.0.1');
  await once(slow, 'listening');
  const issuer = `http://127.0.0.1:${Object(slow.address()).port}`;
  const { id } = await latchkey.inProject((tx) =>
    createProvider(tx, { preset: 'oidc', key: 'slow', clientId: 'shop', clientSecret: 'secret', options: { issuer } }),
  );
  path = `/v1/admin/identity-providers/${id}/test`;
});
after(async () => {
  slow.close();
  await latchkey.stop();
});

const ask = (key: string) =>
  latchkey.api(path, { token, body: {}, headers: { 'idempotency-key': key, 'x-correlation-id': `slow-${key}` } });

function letGo(): void {
  for (const response of waiting.splice(0)) response();
}

describe('a request that calls another server before its transaction starts', () => {
  test('holds no connection while it waits for that server, so many at once do not block other requests', async () => {
    const slowly = Array.from({ length: 8 }, (_, index) => ask(`slow-${index}`));
    await eventually(async () => assert.equal(waiting.length, 8));
    const body = { key: 'meanwhile', name: 'Meanwhile' };
    const other = await latchkey.api('/v1/admin/roles', { token, body, headers: { 'idempotency-key': 'meanwhile' } });
    assert.equal(other.status, 201, other.text);
    letGo();
    for (const { status, body: found } of await Promise.all(slowly)) assert.deepEqual([status, found.ok], [200, false]);
  });

  test('does not call the other server again for a stored response, nor for a key that is reused with another body', async () => {
    const first = ask('known');
    await eventually(async () => assert.equal(waiting.length, 1));
    letGo();
    const before = asked;
    const { status, text } = await first;
    const second = await ask('known');
    assert.deepEqual([second.status, second.text, second.headers.get('idempotent-replayed')], [status, text, 'true']);
    const headers = { 'idempotency-key': 'known' };
    expectProblem(await latchkey.api(path, { token, body: { other: true }, headers }), 409, 'IDEMPOTENCY_KEY_REUSED');
    assert.equal(asked, before);
  });

  test('calls the other server also without an idempotency key', async () => {
    const response = latchkey.api(path, { token, body: {} });
    await eventually(async () => assert.equal(waiting.length, 1));
    letGo();
    assert.equal((await response).body.ok, false);
  });
});
