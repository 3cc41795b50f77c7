import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { expectProblem, register, startTestLatchkey, TestClock, type TestLatchkey } from '#tests/harness.ts';

describe('refresh tokens', () => {
  const clock = new TestClock();
  let latchkey: TestLatchkey;
  before(async () => {
    latchkey = await startTestLatchkey({ clock });
  });
  after(() => latchkey.stop());

  const refresh = (token: string) => latchkey.auth('/v1/sessions/refresh', { body: { refresh_token: token } });

  test('SE-6 fifty parallel calls with one token get one successor and nobody is signed out', async () => {
    const { refresh_token } = await register(latchkey);
    const responses = await Promise.all(Array.from({ length: 50 }, () => refresh(refresh_token)));
    assert.deepEqual([...new Set(responses.map(({ status }) => status))], [200]);
    const successors = new Set(responses.map(({ body }) => body.refresh_token));
    assert.equal(successors.size, 1);
    const [successor] = successors;
    assert.notEqual(successor, refresh_token);
    assert.equal((await refresh(successor)).status, 200);
  });

  test('SE-6 a use after the grace time ends the session and raises one event', async () => {
    const { refresh_token, session } = await register(latchkey);
    const next = await refresh(refresh_token);
    clock.advance(10_001);
    expectProblem(await refresh(refresh_token), 401, 'SESSION_REVOKED');
    expectProblem(await refresh(refresh_token), 401, 'SESSION_REVOKED');
    expectProblem(await refresh(next.body.refresh_token), 401, 'SESSION_REVOKED');
    expectProblem(await latchkey.api('/v1/me/context', { token: next.body.access_token }), 401, 'SESSION_REVOKED');
    const { rows } = await latchkey.system.pool.query(
      `select type from events where data->>'sessionId' = $1 and type in ('session.reuse_detected', 'session.revoked') order by type`,
      [session.id],
    );
    assert.deepEqual(rows, [{ type: 'session.reuse_detected' }, { type: 'session.revoked' }]);
  });

  test('SE-6 a use at the end of the grace time still returns the same successor', async () => {
    const { refresh_token } = await register(latchkey);
    const first = await refresh(refresh_token);
    clock.advance(10_000);
    const second = await refresh(refresh_token);
    assert.equal(second.body.refresh_token, first.body.refresh_token);
  });

  test('SE-6 a fork made inside the grace time is detected at the next rotation', async () => {
    const { refresh_token } = await register(latchkey);
    const [owner, thief] = await Promise.all([refresh(refresh_token), refresh(refresh_token)]);
    clock.advance(60_000);
    assert.equal((await refresh(owner.body.refresh_token)).status, 200);
    clock.advance(60_000);
    expectProblem(await refresh(thief.body.refresh_token), 401, 'SESSION_REVOKED');
  });

  test('SE-1 tokens are 256 random bits and stored as hashes only', async () => {
    const { refresh_token } = await register(latchkey);
    assert.match(refresh_token, /^lkr_[a-z0-9]{8}_[A-Za-z0-9_-]{43}$/);
    const { refresh_token: next } = (await refresh(refresh_token)).body;
    const { rows } = await latchkey.system.pool.query('select t::text as row from refresh_tokens t');
    const stored = rows.map(({ row }) => row).join('\n');
    for (const token of [refresh_token, next])
      assert.ok(!stored.includes(token.slice(13)), 'no token stands in the table');
    const { rows: hashes } = await latchkey.system.pool.query(
      `select 1 from refresh_tokens where hash = sha256($1::bytea)`,
      [Buffer.from(next)],
    );
    assert.equal(hashes.length, 1);
  });

  test('SE-2 a session ends when it is idle, and at its absolute end however busy it is', async () => {
    const day = 86_400_000;
    const idle = await register(latchkey);
    const busy = await register(latchkey);
    clock.advance(14 * day - 1_000);
    let { refresh_token } = (await refresh(busy.refresh_token)).body;
    clock.advance(1_000);
    expectProblem(await refresh(idle.refresh_token), 401, 'SESSION_EXPIRED');
    for (let passed = 14; passed + 13 < 90; passed += 13) {
      clock.advance(13 * day);
      // biome-ignore lint/performance/noAwaitInLoops: time passes between
      const response = await refresh(refresh_token);
      assert.equal(response.status, 200, response.text);
      refresh_token = response.body.refresh_token;
    }
    clock.advance(13 * day);
    expectProblem(await refresh(refresh_token), 401, 'SESSION_EXPIRED');
  });

  test('a forged or truncated token is refused', async () => {
    const { refresh_token } = await register(latchkey);
    for (const token of [
      'x',
      refresh_token.slice(0, -1),
      `${refresh_token.slice(0, -4)}AAAA`,
      refresh_token.replace(/^lkr_.{8}/, 'lkr_aaaaaaaa'),
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await refresh(token), 401, 'AUTHENTICATION_REQUIRED');
    }
  });
});

describe('session lifetimes by assurance level', () => {
  const clock = new TestClock();
  let latchkey: TestLatchkey;
  before(async () => {
    latchkey = await startTestLatchkey({ clock });
  });
  after(() => latchkey.stop());

  for (const { level, idle, absolute } of [
    { level: 'aal1', idle: 14 * 86_400, absolute: 30 * 86_400 },
    { level: 'aal2', idle: 3_600, absolute: 86_400 },
    { level: 'aal3', idle: 900, absolute: 12 * 3_600 },
  ] as const) {
    test(`SE-2 ${level} caps idle time at ${idle} s and the session at ${absolute} s`, async () => {
      const { updateSettings } = await import('#environments');
      await latchkey.inProject((tx) => updateSettings(tx, { assurance: level }));
      const { refresh_expires_in, session } = await register(latchkey);
      assert.equal(refresh_expires_in, idle);
      assert.equal(Date.parse(session.expiresAt) - clock.now().getTime(), absolute * 1000);
    });
  }
});
