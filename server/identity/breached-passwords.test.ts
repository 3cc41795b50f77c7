import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { expectProblem, newEmail, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

const BREACHED = 'a sentence that was in a breach';
const digest = createHash('sha1').update(BREACHED).digest('hex').toUpperCase();

describe('a service that knows breached passwords', () => {
  const asked: { path: string; padding: unknown }[] = [];
  let answer: 'list' | 'error' | 'hang' = 'list';
  const server = createServer((request, response) => {
    asked.push({ path: request.url ?? '', padding: request.headers['add-padding'] });
    if (answer === 'hang') return;
    response.statusCode = answer === 'error' ? 500 : 200;
    response.end(`0018A45C4D1DEF81644B54AB7F969B88D65:0\r\n${digest.slice(5)}:42\r\n`);
  });
  let latchkey: TestLatchkey;
  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    assert.ok(address !== null && typeof address === 'object');
    latchkey = await startTestLatchkey({
      settings: { LATCHKEY_BREACHED_PASSWORDS_URL: `http://127.0.0.1:${address.port}/range` },
    });
  });
  after(async () => {
    await latchkey.stop();
    server.closeAllConnections();
    server.close();
  });

  const register = (password: string) => latchkey.auth('/v1/auth/register', { body: { email: newEmail(), password } });

  test('PW-4 is told five characters of a digest, and its answer counts', async () => {
    expectProblem(await register(BREACHED), 400, 'WEAK_PASSWORD');
    assert.deepEqual(asked, [{ path: `/range/${digest.slice(0, 5)}`, padding: 'true' }]);
    assert.equal((await register('a sentence that nobody had before')).status, 200);
  });

  test('PW-4 away or broken, it keeps nobody from registering; the built-in list still counts', async () => {
    for (const state of ['error', 'hang'] as const) {
      answer = state;
      // biome-ignore lint/performance/noAwaitInLoops: one state after the other
      assert.equal((await register(BREACHED)).status, 200, state);
      expectProblem(await register('1qaz2wsx3edc4rfv'), 400, 'WEAK_PASSWORD');
    }
  });
});
