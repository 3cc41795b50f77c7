import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hash as bcrypt } from '@node-rs/bcrypt';
import {
  eventually,
  expectProblem,
  managementToken,
  newEmail,
  PASSWORD,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { waitsForLock } from '#tests/locks.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

test('first sign-ins of an imported person at once all succeed, whichever of them replaces the hash', async () => {
  const token = await managementToken(latchkey);
  const email = newEmail();
  const body = JSON.stringify({ email, emailVerified: true, passwordHash: await bcrypt(PASSWORD, { cost: 4 }) });
  const headers = { 'content-type': 'application/x-ndjson' };
  const { body: started } = await latchkey.api('/v1/admin/members/import', { token, body, headers });
  await eventually(async () => {
    const { body: report } = await latchkey.api(`/v1/admin/members/import/${started.id}`, { token });
    assert.equal(report.status, 'completed');
  });
  const signIn = (password: string) =>
    latchkey.auth('/v1/auth/login/password', { body: { identifier: email, password } });
  const responses = await Promise.all(Array.from({ length: 6 }, () => signIn(PASSWORD)));
  assert.deepEqual(
    responses.map(({ status }) => status),
    Array(6).fill(200),
  );
  assert.equal((await signIn('another password')).status, 401);
});

for (const [what, change] of [
  ['blocked', "update members set status = 'blocked' where workspace_id = $1 and user_id = $2"],
  ['removed', 'delete from members where workspace_id = $1 and user_id = $2'],
] as const)
  test(`a member who is ${what} after they were admitted gets no session`, async () => {
    const { email, session } = await register(latchkey);
    const client = await latchkey.system.pool.connect();
    await client.query('begin');
    const member = [latchkey.demo.workspaceId, session.userId];
    await client.query('select id from members where workspace_id = $1 and user_id = $2 for update', member);
    const signingIn = latchkey.auth('/v1/auth/login/password', { body: { identifier: email, password: PASSWORD } });
    await waitsForLock(latchkey);
    await client.query(change, member);
    await client.query('commit');
    client.release();
    expectProblem(await signingIn, 403, 'MEMBERSHIP_REQUIRED');
  });
