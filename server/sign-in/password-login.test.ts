import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { updateSettings } from '#environments';
import {
  eventually,
  expectProblem,
  mailedCode,
  newEmail,
  PASSWORD,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

const login = (body: Record<string, unknown>, ip = '198.51.100.1') =>
  latchkey.auth('/v1/auth/login/password', { body, headers: { 'x-forwarded-for': ip } });

describe('POST /v1/auth/login/password', () => {
  test('200 by email, typed in any case, under either field name', async () => {
    const { email, session } = await register(latchkey);
    const response = await login({ identifier: email.toUpperCase(), password: PASSWORD });
    assert.equal(response.status, 200);
    assert.equal(response.body.session.userId, session.userId);
    assert.notEqual(response.body.session.id, session.id);
    assert.equal((await login({ email, password: PASSWORD })).status, 200);
  });

  test('200 by username', async () => {
    const { access_token, session } = await register(latchkey);
    await latchkey.api('/v1/me/profile', { token: access_token, method: 'PATCH', body: { username: 'Ada.Lovelace' } });
    const response = await login({ identifier: 'ada.lovelace', password: PASSWORD });
    assert.equal(response.body.session?.userId, session.userId, response.text);
  });

  test('401 INVALID_CREDENTIALS alike for a wrong password and an unknown account', async () => {
    const { email } = await register(latchkey);
    const wrong = await login({ identifier: email, password: 'not the password at all' });
    const unknown = await login({ identifier: newEmail(), password: 'not the password at all' });
    for (const response of [wrong, unknown]) {
      expectProblem(response, 401, 'INVALID_CREDENTIALS');
      assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer/);
    }
    const { traceId: _, ...first } = wrong.body;
    const { traceId: __, ...second } = unknown.body;
    assert.deepEqual(first, second);
  });

  test('a refusal writes `user.login_failed`, with the account if there is one', async () => {
    const { email, session } = await register(latchkey);
    for (const [identifier, userId] of [
      [email, session.userId],
      [newEmail(), null],
    ]) {
      const correlationId = crypto.randomUUID();
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const response = await latchkey.auth('/v1/auth/login/password', {
        body: { identifier, password: 'not the password at all' },
        headers: { 'x-correlation-id': correlationId },
      });
      expectProblem(response, 401, 'INVALID_CREDENTIALS');
      const { rows } = await latchkey.system.pool.query('select type, data from events where correlation_id = $1', [
        correlationId,
      ]);
      assert.deepEqual(rows, [{ type: 'user.login_failed', data: { userId, reason: 'invalid_credentials' } }]);
    }
  });

  test('400 without an identifier', async () => {
    const response = await login({ password: PASSWORD });
    expectProblem(response, 400, 'VALIDATION_FAILED');
    assert.equal(response.body.errors[0].pointer, '/body/identifier');
  });

  test('joins an open project, and needs a membership in a closed one', async () => {
    const { email } = await register(latchkey);
    const helpdesk = latchkey.demo.projects[1];
    const there = {
      workspaceId: latchkey.demo.workspaceId,
      projectId: helpdesk?.id,
      identifier: email,
      password: PASSWORD,
    };
    await latchkey.inProject(
      (tx) => updateSettings(tx, { registration: 'closed' }),
      helpdesk && { projectId: helpdesk.id },
    );
    expectProblem(await login(there), 403, 'MEMBERSHIP_REQUIRED');
    await latchkey.inProject(
      (tx) => updateSettings(tx, { registration: 'open' }),
      helpdesk && { projectId: helpdesk.id },
    );
    assert.equal((await login(there)).status, 200);
  });

  test('an unverified address is verified first if the project requires it', async () => {
    const { email } = await register(latchkey);
    await latchkey.inProject((tx) => updateSettings(tx, { emailVerification: 'required' }));
    const challenge = await login({ identifier: email, password: PASSWORD });
    assert.deepEqual([challenge.status, challenge.body.status], [200, 'verification_required']);
    const code = await eventually(() => mailedCode(latchkey, email));
    const verified = await latchkey.auth('/v1/auth/email/verify', { body: { flowId: challenge.body.flowId, code } });
    assert.equal(verified.status, 200, verified.text);
    assert.equal((await login({ identifier: email, password: PASSWORD })).body.token_type, 'Bearer');
    await latchkey.inProject((tx) => updateSettings(tx, { emailVerification: 'off' }));
  });
});

describe('throttling of sign-in', () => {
  const wrong = (email: string, ip: string) => login({ identifier: email, password: 'a guess of the attacker' }, ip);
  const statuses = (responses: { status: number }[]) => Object.groupBy(responses, ({ status }) => status);

  test('AU-1 exactly 80 of 200 parallel guesses from 200 sources are checked', async () => {
    const { email } = await register(latchkey);
    const responses = await Promise.all(Array.from({ length: 200 }, (_, index) => wrong(email, `203.0.113.${index}`)));
    const byStatus = statuses(responses);
    assert.deepEqual([byStatus[401]?.length, byStatus[429]?.length], [80, 120]);
    const refused = byStatus[429]?.[0];
    assert.ok(refused);
  });

  test('AU-1 guesses from new and known sources together stay at 100', async () => {
    const { email } = await register(latchkey);
    // Two sources from which the owner has signed in.
    for (const ip of ['192.0.2.1', '192.0.2.2']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.equal((await login({ identifier: email, password: PASSWORD }, ip)).status, 200);
    }
    const strange = await Promise.all(Array.from({ length: 100 }, (_, index) => wrong(email, `203.0.113.${index}`)));
    const familiar = await Promise.all(
      Array.from({ length: 60 }, (_, index) => wrong(email, `192.0.2.${1 + (index % 2)}`)),
    );
    assert.equal([...strange, ...familiar].filter(({ status }) => status === 401).length, 100);
  });

  test('AU-1 exactly 20 of 100 parallel guesses from one source are checked', async () => {
    const { email } = await register(latchkey);
    const responses = await Promise.all(Array.from({ length: 100 }, () => wrong(email, '203.0.113.7')));
    const byStatus = statuses(responses);
    assert.deepEqual([byStatus[401]?.length, byStatus[429]?.length], [20, 80]);
    const response = responses.find(({ status }) => status === 429);
    assert.ok(response);
    expectProblem(response, 429, 'ACCOUNT_THROTTLED');
    assert.ok(Number(response.headers.get('retry-after')) > 0);
  });

  test('AU-2 an attacker elsewhere does not lock the owner out', async () => {
    const { email } = await register(latchkey);
    assert.equal((await login({ identifier: email, password: PASSWORD }, '192.0.2.9')).status, 200);
    await Promise.all(Array.from({ length: 200 }, (_, index) => wrong(email, `203.0.113.${index}`)));
    expectProblem(await login({ identifier: email, password: PASSWORD }, '203.0.113.250'), 429, 'ACCOUNT_THROTTLED');
    assert.equal((await login({ identifier: email, password: PASSWORD }, '192.0.2.9')).status, 200);
  });

  test('AU-1 a success resets the earlier failures', async () => {
    const { email } = await register(latchkey);
    for (let round = 0; round < 3; round += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: rounds follow one another
      await Promise.all(Array.from({ length: 15 }, () => wrong(email, '203.0.113.8')));
      assert.equal((await login({ identifier: email, password: PASSWORD }, '203.0.113.8')).status, 200);
    }
  });
});
