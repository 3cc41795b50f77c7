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
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';

const clock = new TestClock();
let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
});
after(() => latchkey.stop());

const signUp = (body: Record<string, unknown>, environment: 'test' | 'production' = 'test') =>
  latchkey.auth('/v1/auth/register', { body: { email: newEmail(), password: PASSWORD, ...body } }, environment);

describe('POST /v1/auth/register', () => {
  test('200 the customer has a session, a membership and is found by the back end', async () => {
    const { email, access_token, session } = await register(latchkey, { profile: { displayName: 'Ada' } });
    assert.deepEqual([session.amr, session.acr, session.environment], [['pwd'], 'aal1', 'test']);
    const { body } = await latchkey.api('/v1/me/context', { token: access_token });
    assert.deepEqual(
      { email: body.user.email, name: body.user.displayName, verified: body.user.emailVerified },
      { email, name: 'Ada', verified: false },
    );
    assert.equal(body.membership.status, 'active');
    const { rows } = await latchkey.system.pool.query(
      `select type from events where data->>'userId' = $1 order by id`,
      [session.userId],
    );
    assert.deepEqual(rows.map(({ type }) => type).sort(), [
      'membership.created',
      'session.created',
      'user.created',
      'user.login',
    ]);
  });

  test('409 ALREADY_EXISTS for a known address, however it is typed', async () => {
    const { email } = await register(latchkey);
    expectProblem(await signUp({ email: email.toUpperCase() }), 409, 'ALREADY_EXISTS');
    expectProblem(await signUp({ email: ` ${email}` }), 400, 'VALIDATION_FAILED');
  });

  test('twenty concurrent registrations of one address create one account', async () => {
    const email = newEmail();
    const responses = await Promise.all(Array.from({ length: 20 }, () => signUp({ email })));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, ...Array.from({ length: 19 }, () => 409)]);
  });

  test('PW-1 a single-factor password needs 15 characters, and no policy can lower that', async () => {
    const weak = await signUp({ password: 'a'.repeat(14) });
    expectProblem(weak, 400, 'WEAK_PASSWORD');
    assert.equal(weak.body.minimumLength, 15);
    assert.equal((await signUp({ password: 'unusual words 1' })).status, 200);
    await latchkey.inProject((tx) => updateSettings(tx, { passwordMinLength: 8 }));
    expectProblem(await signUp({ password: 'a'.repeat(14) }), 400, 'WEAK_PASSWORD');
  });

  test('PW-1 eight characters are enough if a second factor is enforced, and a policy may raise it', async () => {
    await latchkey.inProject((tx) => updateSettings(tx, { mfa: 'required', passwordMinLength: 8 }));
    assert.equal((await signUp({ password: 'kq7 vzt2' })).status, 200);
    expectProblem(await signUp({ password: 'kq7 vzt' }), 400, 'WEAK_PASSWORD');
    await latchkey.inProject((tx) => updateSettings(tx, { passwordMinLength: 20 }));
    expectProblem(await signUp({ password: 'a'.repeat(19) }), 400, 'WEAK_PASSWORD');
    await latchkey.inProject((tx) => updateSettings(tx, { mfa: 'optional', passwordMinLength: 15 }));
  });

  test('PW-2 64 characters of any script, with spaces, are accepted and none is cut off', async () => {
    const email = newEmail();
    const password = `${'пароль 密码 🗝️ '.repeat(8)}`.slice(0, 63);
    assert.equal((await signUp({ email, password: `${password}a` })).status, 200);
    const login = (given: string) =>
      latchkey.auth('/v1/auth/login/password', { body: { identifier: email, password: given } });
    assert.equal((await login(`${password}a`)).status, 200);
    expectProblem(await login(`${password}b`), 401, 'INVALID_CREDENTIALS');
  });

  test('PW-3 composition is free: only length counts', async () => {
    for (const password of ['aaaaaaaaaaaaaaab', 'nodigitsnocapitals', '               x']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.equal((await signUp({ password })).status, 200, password);
    }
  });

  test('403 REGISTRATION_CLOSED if people can only be invited', async () => {
    await latchkey.inProject((tx) => updateSettings(tx, { registration: 'closed' }));
    expectProblem(await signUp({}), 403, 'REGISTRATION_CLOSED');
    await latchkey.inProject((tx) => updateSettings(tx, { registration: 'open' }));
  });

  test('400 names a wrong environment and an unknown project', async () => {
    expectProblem(await signUp({ environment: 'production' }), 400, 'ENVIRONMENT_MISMATCH');
    expectProblem(await signUp({ environment: 'prod' }), 400, 'ENVIRONMENT_MISMATCH');
    expectProblem(await signUp({ clientId: 'nobody' }), 400, 'CONTEXT_REQUIRED');
    expectProblem(await signUp({ workspaceId: latchkey.demo.workspaceId }), 400, 'CONTEXT_REQUIRED');
    expectProblem(
      await signUp({ workspaceId: latchkey.demo.workspaceId, projectId: 'prj_01kaz3w9hqf8p9n2m4v5x6y7z8' }),
      400,
      'CONTEXT_REQUIRED',
    );
  });

  test('the project is that of the application, the named one, or the default', async () => {
    const [shop, helpdesk] = latchkey.demo.projects;
    const { clientId } = latchkey.demo.environments.test;
    assert.equal((await signUp({})).body.session.projectId, shop?.id);
    assert.equal((await signUp({ clientId })).body.session.projectId, shop?.id);
    assert.equal(
      (await signUp({ workspaceId: latchkey.demo.workspaceId, projectId: helpdesk?.id })).body.session.projectId,
      helpdesk?.id,
    );
  });
});

describe('registration with verification (production)', () => {
  const verify = (flowId: string, code: string) =>
    latchkey.auth('/v1/auth/email/verify', { body: { flowId, code } }, 'production');

  test('the account exists once the mailed code is entered', async () => {
    const email = newEmail();
    const { status, body } = await signUp({ email }, 'production');
    assert.deepEqual(
      [status, body.status, body.channel, body.hint],
      [200, 'verification_required', 'email', `${email[0]}•••@example.com`],
    );
    const login = () =>
      latchkey.auth('/v1/auth/login/password', { body: { identifier: email, password: PASSWORD } }, 'production');
    expectProblem(await login(), 401, 'INVALID_CREDENTIALS');
    const verified = await verify(body.flowId, await eventually(() => mailedCode(latchkey, email)));
    assert.equal(verified.status, 200, verified.text);
    assert.deepEqual(verified.body.session.amr, ['pwd', 'otp']);
    const { body: context } = await latchkey.api('/v1/me/context', { token: verified.body.access_token }, 'production');
    assert.equal(context.user.emailVerified, true);
    assert.equal((await login()).status, 200);
  });

  test('a code works once, in its own flow, for ten minutes', async () => {
    const email = newEmail();
    const { body } = await signUp({ email }, 'production');
    const other = await signUp({}, 'production');
    const code = await eventually(() => mailedCode(latchkey, email));
    expectProblem(await verify(other.body.flowId, code), 401, 'INVALID_CODE');
    assert.equal((await verify(body.flowId, code)).status, 200);
    expectProblem(await verify(body.flowId, code), 401, 'INVALID_CODE');
    const late = newEmail();
    const { body: flow } = await signUp({ email: late }, 'production');
    const lateCode = await eventually(() => mailedCode(latchkey, late));
    clock.advance(600_000);
    expectProblem(await verify(flow.flowId, lateCode), 401, 'INVALID_CODE');
  });

  test('AU-3 only five of fifty parallel guesses are checked, then the code is void', async () => {
    const email = newEmail();
    const { body } = await signUp({ email }, 'production');
    const code = await eventually(() => mailedCode(latchkey, email));
    const wrong = code === '00000000' ? '11111111' : '00000000';
    const guesses = await Promise.all(Array.from({ length: 50 }, () => verify(body.flowId, wrong)));
    assert.ok(guesses.every(({ status }) => status === 401));
    const { rows } = await latchkey.system.pool.query('select attempts_left from flows where id = $1', [body.flowId]);
    assert.deepEqual(rows, [{ attempts_left: 0 }]);
    expectProblem(await verify(body.flowId, code), 401, 'INVALID_CODE');
  });

  test('AU-3 only one of twenty parallel uses of the right code succeeds', async () => {
    const email = newEmail();
    const { body } = await signUp({ email }, 'production');
    const code = await eventually(() => mailedCode(latchkey, email));
    const responses = await Promise.all(Array.from({ length: 20 }, () => verify(body.flowId, code)));
    assert.equal(responses.filter(({ status }) => status === 200).length, 1);
  });

  test('resend replaces the code, not before 30 seconds, and responds the same for an unknown flow', async () => {
    const email = newEmail();
    const { body } = await signUp({ email }, 'production');
    const first = await eventually(() => mailedCode(latchkey, email));
    const resend = (flowId: string) =>
      latchkey.auth('/v1/auth/email/resend', { method: 'POST', body: { flowId } }, 'production');
    const early = await resend(body.flowId);
    expectProblem(early, 429, 'RATE_LIMIT_EXCEEDED');
    assert.equal(early.headers.get('retry-after'), '30');
    clock.advance(30_000);
    const response = await resend(body.flowId);
    assert.equal(response.status, 202);
    const second = await eventually(async () => {
      const code = await mailedCode(latchkey, email);
      assert.notEqual(code, first);
      return code;
    });
    expectProblem(await verify(body.flowId, first), 401, 'INVALID_CODE');
    assert.equal((await verify(body.flowId, second)).status, 200);
  });

  test('registering a known address gets the same response, and its owner gets a mail', async () => {
    const email = newEmail();
    const { body } = await signUp({ email }, 'production');
    await verify(body.flowId, await eventually(() => mailedCode(latchkey, email)));
    const again = await signUp({ email }, 'production');
    assert.deepEqual(Object.keys(again.body), Object.keys(body));
    assert.deepEqual([again.status, again.body.hint], [200, body.hint]);
    await eventually(async () => {
      const { body: inbox } = await latchkey.console(`/dev/inbox?to=${email}`);
      assert.equal(inbox.items[0].subject, 'You already have a Shop account');
    });
    expectProblem(await verify(again.body.flowId, '12345678'), 401, 'INVALID_CODE');
  });
});
