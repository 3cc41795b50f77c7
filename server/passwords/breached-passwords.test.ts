import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import {
  eventually,
  expectProblem,
  managementToken,
  newEmail,
  PASSWORD,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';

const BREACHED = 'a sentence that was in a breach';
const digest = createHash('sha1').update(BREACHED).digest('hex').toUpperCase();

describe('a service that knows breached passwords', () => {
  const asked: { path: string; padding: unknown }[] = [];
  const waiting: (() => void)[] = [];
  let result: 'list' | 'error' | 'hang' = 'list';
  const server = createServer((request, response) => {
    asked.push({ path: request.url ?? '', padding: request.headers['add-padding'] });
    const list = () => response.end(`0018A45C4D1DEF81644B54AB7F969B88D65:0\r\n${digest.slice(5)}:42\r\n`);
    if (result === 'hang') {
      waiting.push(list);
      return;
    }
    response.statusCode = result === 'error' ? 500 : 200;
    list();
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

  test('PW-4 receives five characters of a digest, and its response counts', async () => {
    expectProblem(await register(BREACHED), 400, 'WEAK_PASSWORD');
    assert.deepEqual(asked, [{ path: `/range/${digest.slice(0, 5)}`, padding: 'true' }]);
    assert.equal((await register('a sentence that nobody had before')).status, 200);
  });

  test('PW-4 no transaction is open while it responds slowly, whichever route sets the password, also with an Idempotency-Key', async () => {
    const person = (await latchkey.auth('/v1/auth/register', { body: { email: newEmail(), password: PASSWORD } })).body;
    const token = person.access_token;
    const admin = await managementToken(latchkey);
    result = 'hang';
    const before = asked.length;
    const password = 'a sentence that is asked about';
    const secret = (kind: string) => `lk${kind}_abcdefgh_${'x'.repeat(43)}`;
    const under = (key: string) => ({ headers: { 'idempotency-key': key } });
    const slowly = [
      ...Array.from({ length: 8 }, (_, index) =>
        latchkey.auth('/v1/auth/register', { body: { email: newEmail(), password }, ...under(`register ${index}`) }),
      ),
      latchkey.auth('/v1/auth/password/reset', {
        body: { token: secret('f'), newPassword: password },
        ...under('reset'),
      }),
      latchkey.auth('/v1/auth/invitations/accept', { body: { token: secret('i'), password }, ...under('accept') }),
      latchkey.api('/v1/admin/members', { token: admin, body: { email: newEmail(), password }, ...under('add') }),
      latchkey.api('/v1/me/security/password', {
        token,
        method: 'PUT',
        body: { currentPassword: PASSWORD, newPassword: password },
        headers: { 'if-match': '*' },
      }),
    ];
    await eventually(async () => assert.equal(asked.length - before, slowly.length));
    await eventually(async () => {
      const { rows } = await latchkey.system.pool.query(
        `select state, query from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`,
      );
      assert.deepEqual(rows, []);
    });
    const body = { key: 'meanwhile', name: 'Meanwhile' };
    const other = await latchkey.api('/v1/admin/roles', { token: admin, body, ...under('meanwhile') });
    assert.equal(other.status, 201, other.text);
    assert.equal(asked.length - before, slowly.length, 'nobody has been answered yet');
    for (const release of waiting.splice(0)) release();
    const outcomes = (await Promise.all(slowly)).map(({ status }) => status);
    assert.deepEqual(outcomes, [...Array.from({ length: 8 }, () => 200), 400, 400, 201, 204]);
    assert.equal(asked.length - before, slowly.length, 'each was asked about once');
    result = 'list';
    const known = { body: { email: newEmail(), password: BREACHED }, ...under('breached') };
    expectProblem(await latchkey.auth('/v1/auth/register', known), 400, 'WEAK_PASSWORD');
  });

  test('PW-4 an outage of the service does not stop registrations; the built-in list still counts', async () => {
    for (const state of ['error', 'hang'] as const) {
      result = state;
      // biome-ignore lint/performance/noAwaitInLoops: one state after the other
      assert.equal((await register(BREACHED)).status, 200, state);
      expectProblem(await register('1qaz2wsx3edc4rfv'), 400, 'WEAK_PASSWORD');
    }
  });
});
