import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  eventually,
  expectProblem,
  managementToken,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { startSecondProcess } from '#tests/second-process.ts';
import { removeDeadSessions } from './removal.ts';
import { revokeSessions } from './revocation.ts';
import { findEntry } from './session-reading.ts';

describe('ending sessions', () => {
  let latchkey: TestLatchkey;
  before(async () => {
    latchkey = await startTestLatchkey({ own: 'stops the change feed' });
  });
  after(() => latchkey.stop());

  const context = (token: string) => latchkey.api('/v1/me/context', { token });
  const login = (email: string) =>
    latchkey.auth('/v1/auth/login/password', { body: { identifier: email, password: 'correct horse battery staple' } });

  test('SE-3 logout ends the access and refresh tokens of this session only', async () => {
    const first = await register(latchkey);
    const second = (await login(first.email)).body;
    assert.equal(
      (await latchkey.auth('/v1/sessions/logout', { token: first.access_token, method: 'POST' })).status,
      204,
    );
    expectProblem(await context(first.access_token), 401, 'SESSION_REVOKED');
    expectProblem(
      await latchkey.auth('/v1/sessions/refresh', { body: { refresh_token: first.refresh_token } }),
      401,
      'SESSION_REVOKED',
    );
    assert.equal((await context(second.access_token)).status, 200);
  });

  test('SE-3 logout everywhere ends every session of the person', async () => {
    const first = await register(latchkey);
    const second = (await login(first.email)).body;
    assert.equal(
      (await latchkey.auth('/v1/sessions/logout', { token: first.access_token, body: { everywhere: true } })).status,
      204,
    );
    for (const { access_token, refresh_token } of [first, second]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await context(access_token), 401, 'SESSION_REVOKED');
      expectProblem(await latchkey.auth('/v1/sessions/refresh', { body: { refresh_token } }), 401, 'SESSION_REVOKED');
    }
  });

  test('SE-3 an administrator ends all sessions of a member', async () => {
    const { access_token, email } = await register(latchkey);
    const token = await managementToken(latchkey);
    const { body } = await latchkey.api(`/v1/admin/members?q=${email}`, { token });
    const response = await latchkey.api(`/v1/admin/members/${body.items[0].id}/sessions/revoke`, {
      token,
      method: 'POST',
    });
    assert.deepEqual([response.status, response.body], [200, { revoked: 1 }]);
    expectProblem(await context(access_token), 401, 'SESSION_REVOKED');
  });

  test('SE-3 a token that is issued while its session is being ended is invalid, too', async () => {
    const { access_token, session } = await register(latchkey);
    const begun = new Date(Date.now() - 2_000);
    await latchkey.inProject((tx) => revokeSessions({ ...tx, now: begun }, session.userId, 'all', 'logout'));
    expectProblem(await context(access_token), 401, 'SESSION_REVOKED');
  });

  test('SE-3 no entry of an ended or expired session is live', async () => {
    const { session } = await register(latchkey);
    const entryAt = (at: Date) => latchkey.inProject((tx) => findEntry({ ...tx, now: at }, session.id));
    assert.equal((await entryAt(new Date()))?.userId, session.userId);
    assert.equal(await entryAt(new Date(session.expiresAt)), undefined);
    await latchkey.inProject((tx) => revokeSessions(tx, session.userId, 'all', 'logout'));
    assert.equal(await entryAt(new Date()), undefined);
  });

  test('SE-3 another process refuses an ended session immediately', async (t) => {
    const other = await startSecondProcess(latchkey);
    t.after(() => other.stop());
    const { access_token } = await register(latchkey);
    assert.equal((await other.api('/v1/me/context', access_token)).status, 200);
    await latchkey.auth('/v1/sessions/logout', { token: access_token, method: 'POST' });
    await eventually(async () => assert.equal((await other.api('/v1/me/context', access_token)).status, 401));
  });

  test('SE-3 a process without the change feed asks the database', async () => {
    const { access_token } = await register(latchkey);
    assert.equal((await context(access_token)).status, 200);
    const { feed } = latchkey.system;
    await feed.stop();
    await latchkey.auth('/v1/sessions/logout', { token: access_token, method: 'POST' });
    expectProblem(await context(access_token), 401, 'SESSION_REVOKED');
    await feed.start();
    assert.equal(feed.live, true);
    expectProblem(await context(access_token), 401, 'SESSION_REVOKED');
  });

  test('a session is deleted ninety days after its end, with its scope entries', async () => {
    const people = await Promise.all([register(latchkey), register(latchkey), register(latchkey)]);
    const ids = people.map(({ session }) => session.id);
    const { pool } = latchkey.system;
    for (const [index, days] of [91, 89].entries()) {
      const ended = new Date(Date.now() - days * 86_400_000);
      // biome-ignore lint/performance/noAwaitInLoops: two sessions
      await pool.query('update sessions set expires_at = $2 where id = $1', [ids[index], ended]);
    }
    await removeDeadSessions(latchkey.system);
    const kept = await pool.query('select id from sessions where id = any($1)', [ids]);
    assert.deepEqual(kept.rows.map(({ id }) => id).sort(), ids.slice(1).sort());
    const entries = await pool.query('select session_id from scope_entries where session_id = any($1)', [ids]);
    assert.deepEqual(entries.rows.map(({ session_id }) => session_id).sort(), ids.slice(1).sort());
  });
});
