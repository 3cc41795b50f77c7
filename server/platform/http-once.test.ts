import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  expectProblem,
  managementToken,
  newEmail,
  ownerToken,
  PASSWORD,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { waitsForLock } from '#tests/locks.ts';
import { deleteExpiredIdempotencyKeys } from './http-once.ts';

const clock = new TestClock();
let latchkey: TestLatchkey;
let token: string;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
  token = await managementToken(latchkey);
});
after(() => latchkey.stop());

let roles = 0;

function newRole(): { key: string; name: string } {
  roles += 1;
  return { key: `role-${roles}`, name: `Role ${roles}` };
}

const once = (path: string, key: string, body: unknown, by = token) =>
  latchkey.api(path, { body, token: by, headers: { 'idempotency-key': key } });

async function count(key: string): Promise<number> {
  const { rows } = await latchkey.system.pool.query('select 1 from roles where key = $1', [key]);
  return rows.length;
}

/** A call with the correlation id of an earlier one, so that the harness finds the event of the first call. */
async function again(first: TestResponse, path: string, key: string, body: unknown): Promise<TestResponse> {
  const correlation = { 'x-correlation-id': first.headers.get('x-correlation-id') ?? '' };
  return latchkey.api(path, { body, token, headers: { 'idempotency-key': key, ...correlation } });
}

describe('Idempotency-Key', () => {
  test('the first response is replayed, and the change happens once', async () => {
    const role = newRole();
    const first = await once('/v1/admin/roles', 'again', role);
    assert.deepEqual([first.status, first.headers.get('idempotent-replayed')], [201, null]);
    const second = await again(first, '/v1/admin/roles', 'again', role);
    assert.deepEqual([second.status, second.headers.get('idempotent-replayed')], [201, 'true']);
    assert.deepEqual(second.body, first.body);
    assert.match(second.headers.get('content-type') ?? '', /^application\/json/);
    assert.equal(await count(role.key), 1);
  });

  test('a response without a body is replayed', async () => {
    const { access_token: by } = await register(latchkey);
    const logout = { token: by, method: 'POST', headers: { 'idempotency-key': 'bye' } };
    assert.equal((await latchkey.auth('/v1/sessions/logout', logout)).status, 204);
    const invitation = await once('/v1/admin/invitations', 'invite', { email: newEmail(), roles: ['viewer'] });
    const path = `/v1/admin/invitations/${invitation.body.id}/resend`;
    const first = await latchkey.api(path, { method: 'POST', token, headers: { 'idempotency-key': 'resend' } });
    const second = await latchkey.api(path, { method: 'POST', token, headers: { 'idempotency-key': 'resend' } });
    assert.deepEqual([first.status, second.status, second.text], [second.status, first.status, first.text]);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
  });

  test('another body with the same key is refused', async () => {
    assert.equal((await once('/v1/admin/roles', 'other-body', newRole())).status, 201);
    expectProblem(await once('/v1/admin/roles', 'other-body', newRole()), 409, 'IDEMPOTENCY_KEY_REUSED');
  });

  test('twelve concurrent requests are executed once, and all get the response', async () => {
    const role = newRole();
    const correlation = { 'x-correlation-id': 'twelve-at-once' };
    const responses = await Promise.all(
      Array.from({ length: 12 }, () =>
        latchkey.api('/v1/admin/roles', {
          body: role,
          token,
          headers: { 'idempotency-key': 'at-once', ...correlation },
        }),
      ),
    );
    assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([201]));
    assert.equal(new Set(responses.map(({ text }) => text)).size, 1);
    assert.equal(responses.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
    assert.equal(await count(role.key), 1);
  });

  test('a request waits for one with its key that another process has started', async () => {
    const role = newRole();
    const first = await once('/v1/admin/roles', 'elsewhere', role);
    const other = await latchkey.system.pool.connect();
    await other.query('create temp table kept as select * from idempotency_keys');
    await other.query('delete from idempotency_keys');
    await other.query('begin');
    const { rows } = await other.query('insert into idempotency_keys select * from kept returning id');
    assert.ok(rows.length > 0);
    const waiting = again(first, '/v1/admin/roles', 'elsewhere', role);
    assert.equal(await Promise.race([waiting, waitsForLock(latchkey).then(() => 'waits')]), 'waits');
    await other.query('commit');
    other.release();
    assert.deepEqual((await waiting).body, first.body);
  });

  test('a key belongs to its caller and its path', async () => {
    const mine = newRole();
    const owners = newRole();
    assert.equal((await once('/v1/admin/roles', 'shared', mine)).status, 201);
    assert.equal((await once('/v1/admin/roles', 'shared', owners, await ownerToken(latchkey))).status, 201);
    const elsewhere = await once('/v1/admin/permissions', 'shared', { key: 'orders:refund', description: 'Refund' });
    assert.equal(elsewhere.status, 201, elsewhere.text);
  });

  test('a caller who reuses the key of another does not get the session meant for the other', async () => {
    const { email } = await register(latchkey);
    const login = (ip: string) =>
      latchkey.auth('/v1/auth/login/password', {
        body: { identifier: email, password: PASSWORD },
        headers: { 'idempotency-key': '1', 'x-forwarded-for': ip, 'x-correlation-id': 'same-person' },
      });
    const first = await login('198.51.100.1');
    const same = await login('198.51.100.1');
    const elsewhere = await login('198.51.100.2');
    assert.deepEqual([first.status, same.status, elsewhere.status], [200, 200, 200]);
    assert.equal(same.body.refresh_token, first.body.refresh_token);
    assert.notEqual(elsewhere.body.refresh_token, first.body.refresh_token);
  });

  test('a secret that is shown once is replayed to the same caller, and never stored in clear', async () => {
    const body = { kind: 'web', name: 'Shop', redirectUris: ['https://shop.example/callback'] };
    const first = await once('/v1/admin/applications', 'secret', body);
    assert.equal(first.status, 201, first.text);
    const second = await again(first, '/v1/admin/applications', 'secret', body);
    const { secret } = first.body;
    assert.ok(secret, first.text);
    assert.equal(second.body.secret, secret);
    const { rows } = await latchkey.system.pool.query('select answer_sealed from idempotency_keys');
    for (const { answer_sealed: sealed } of rows) {
      assert.match(sealed, /^k1\./);
      assert.ok(!sealed.includes(secret));
    }
  });

  test('a refusal is not stored, so the request can be corrected', async () => {
    const role = newRole();
    const broken = await once('/v1/admin/roles', 'mended', { ...role, permissions: ['no:such'] });
    assert.ok([400, 403].includes(broken.status), broken.text);
    assert.equal((await once('/v1/admin/roles', 'mended', role)).status, 201);
  });

  test('limits counted by a refused request stay counted', async () => {
    const { email } = await register(latchkey);
    const wrong = (n: number) =>
      latchkey.auth('/v1/auth/login/password', {
        body: { identifier: email, password: 'wrong' },
        headers: { 'idempotency-key': `guess-${n}`, 'x-forwarded-for': '203.0.113.77' },
      });
    const statuses: number[] = [];
    for (let n = 0; n < 25 && !statuses.includes(429); n += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential guesses
      statuses.push((await wrong(n)).status);
    }
    assert.equal(statuses.at(-1), 429, String(statuses));
  });

  test('a key expires after a day', async () => {
    const role = newRole();
    await once('/v1/admin/roles', 'a-day', role);
    clock.advance(24 * 3_600_000 + 1);
    token = await managementToken(latchkey);
    expectProblem(await once('/v1/admin/roles', 'a-day', role), 409, 'ALREADY_EXISTS');
    await deleteExpiredIdempotencyKeys(latchkey.system);
    const { rows } = await latchkey.system.pool.query('select count(*) from idempotency_keys');
    assert.equal(rows[0].count, 0);
  });
});
