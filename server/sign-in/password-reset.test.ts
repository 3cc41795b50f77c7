import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { totpOf } from '#tests/factors.ts';
import {
  changeSettings,
  eventsOf,
  expectProblem,
  lastMessage,
  mailedCode,
  mailedToken,
  managementToken,
  PASSWORD,
  prove,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';

const NEW = 'another quite long password';
const clock = new TestClock();
let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
});
after(() => latchkey.stop());

const login = (identifier: string, password: string) =>
  latchkey.auth('/v1/auth/login/password', { body: { identifier, password } });
const forgot = (identifier: string) => latchkey.auth('/v1/auth/password/forgot', { body: { identifier } });
const reset = (body: Record<string, unknown>) => latchkey.auth('/v1/auth/password/reset', { body });

describe('a forgotten password', () => {
  test('is replaced with the mailed link; every session ends and the owner is notified', async () => {
    const { email, access_token, refresh_token, session } = await register(latchkey);
    assert.equal((await forgot(email)).status, 202);
    const token = await mailedToken(latchkey, email);
    assert.equal((await reset({ token, newPassword: NEW })).status, 204);
    expectProblem(await login(email, PASSWORD), 401, 'INVALID_CREDENTIALS');
    assert.equal((await login(email, NEW)).status, 200);
    expectProblem(await latchkey.api('/v1/me/context', { token: access_token }), 401, 'SESSION_REVOKED');
    expectProblem(await latchkey.auth('/v1/sessions/refresh', { body: { refresh_token } }), 401, 'SESSION_REVOKED');
    assert.ok((await eventsOf(latchkey, session.userId)).includes('user.password.changed'));
    assert.match((await lastMessage(latchkey, email)).text, /password/i);
  });

  test('is replaced with the code only in the flow that requested it', async () => {
    const { email } = await register(latchkey);
    const other = await register(latchkey);
    const { body } = await forgot(email);
    const elsewhere = await forgot(other.email);
    const code = await mailedCode(latchkey, email);
    expectProblem(await reset({ flowId: elsewhere.body.flowId, code, newPassword: NEW }), 401, 'INVALID_CODE');
    assert.equal((await reset({ flowId: body.flowId, code, newPassword: NEW })).status, 204);
    expectProblem(await reset({ flowId: body.flowId, code, newPassword: NEW }), 401, 'INVALID_CODE');
  });

  test('PW-6 only one of twenty parallel uses of a link succeeds', async () => {
    const { email } = await register(latchkey);
    await forgot(email);
    const token = await mailedToken(latchkey, email);
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => reset({ token, newPassword: `${NEW} ${index}` })),
    );
    assert.equal(responses.filter(({ status }) => status === 204).length, 1);
    assert.equal(responses.filter(({ body }) => body.errorCode === 'INVALID_TOKEN').length, 19);
  });

  test('an expired or replaced link or code does not work', async () => {
    const { email } = await register(latchkey);
    const { body } = await forgot(email);
    const [token, code] = [await mailedToken(latchkey, email), await mailedCode(latchkey, email)];
    clock.advance(31_000);
    assert.equal((await latchkey.auth('/v1/auth/email/resend', { body: { flowId: body.flowId } })).status, 202);
    expectProblem(await reset({ token, newPassword: NEW }), 400, 'INVALID_TOKEN');
    expectProblem(await reset({ flowId: body.flowId, code, newPassword: NEW }), 401, 'INVALID_CODE');
    const newer = await mailedToken(latchkey, email);
    clock.advance(901_000);
    expectProblem(await reset({ token: newer, newPassword: NEW }), 400, 'INVALID_TOKEN');
  });

  test('AU-3 only five of fifty parallel guesses are checked, then the code is void', async () => {
    const { email } = await register(latchkey);
    const { body } = await forgot(email);
    const code = await mailedCode(latchkey, email);
    const wrong = code === '00000000' ? '11111111' : '00000000';
    const guesses = await Promise.all(
      Array.from({ length: 50 }, () => reset({ flowId: body.flowId, code: wrong, newPassword: NEW })),
    );
    assert.ok(guesses.every(({ status }) => status === 401));
    expectProblem(await reset({ flowId: body.flowId, code, newPassword: NEW }), 401, 'INVALID_CODE');
  });

  test('a weak new password is refused, and the link still works', async () => {
    const { email } = await register(latchkey);
    await forgot(email);
    const token = await mailedToken(latchkey, email);
    expectProblem(await reset({ token, newPassword: 'short' }), 400, 'WEAK_PASSWORD');
    assert.equal((await reset({ token, newPassword: NEW })).status, 204);
  });

  test('PW-7 a reset neither removes nor skips the second factor', async () => {
    const person = await prove(latchkey, await register(latchkey));
    await totpOf(latchkey, person, clock);
    await forgot(person.email);
    const token = await mailedToken(latchkey, person.email);
    assert.equal((await reset({ token, newPassword: NEW })).status, 204);
    const response = await login(person.email, NEW);
    assert.deepEqual([response.status, response.body.status], [200, 'mfa_required']);
  });

  test('an unknown address gets the same response and no mail', async () => {
    const response = await forgot('nobody@example.com');
    assert.equal(response.status, 202);
    const { body } = await latchkey.console('/dev/inbox?to=nobody@example.com');
    assert.deepEqual(body.items, []);
  });
});

describe('a reset started by an administrator', () => {
  test('PW-6 mails the owner; the administrator neither chooses nor sees a password', async () => {
    const { email, session } = await register(latchkey);
    const token = await managementToken(latchkey);
    const found = await latchkey.api(`/v1/admin/members?q=${email}`, { token });
    const path = `/v1/admin/members/${found.body.items[0].id}/reset-password`;
    const response = await latchkey.api(path, { token, method: 'POST' });
    assert.equal(response.status, 202, response.text);
    assert.ok(!response.text.includes('lkf_'));
    await latchkey.api(path, { token, body: { password: NEW } });
    expectProblem(await login(email, NEW), 401, 'INVALID_CREDENTIALS');
    assert.equal((await reset({ token: await mailedToken(latchkey, email), newPassword: NEW })).status, 204);
    assert.ok((await eventsOf(latchkey, session.userId)).includes('user.password.changed'));
  });
});

describe('changing a password', () => {
  const change = (token: string, body: Record<string, unknown>) =>
    latchkey.api('/v1/me/security/password', { method: 'PUT', token, body });

  test('SE-4 needs the current one; the other sessions end, this one stays', async () => {
    const { email, access_token } = await register(latchkey);
    const elsewhere = (await login(email, PASSWORD)).body;
    expectProblem(
      await change(access_token, { currentPassword: 'wrong', newPassword: NEW }),
      401,
      'INVALID_CREDENTIALS',
    );
    const changed = await change(access_token, { currentPassword: PASSWORD, newPassword: NEW });
    assert.equal(changed.status, 204, changed.text);
    assert.equal((await latchkey.api('/v1/me/context', { token: access_token })).status, 200);
    expectProblem(await latchkey.api('/v1/me/context', { token: elsewhere.access_token }), 401, 'SESSION_REVOKED');
    assert.equal((await login(email, NEW)).status, 200);
  });

  test('PW-4 a common password, or the person’s own address, is refused without any network', async () => {
    await changeSettings(latchkey, { mfa: 'required', passwordMinLength: 8 }, 'production');
    const attempt = (email: string, password: string) =>
      latchkey.auth('/v1/auth/register', { body: { email, password } }, 'production');
    expectProblem(await attempt('new1@example.com', 'password1'), 400, 'WEAK_PASSWORD');
    expectProblem(await attempt('new2@example.com', 'Iloveyou'), 400, 'WEAK_PASSWORD');
    expectProblem(await attempt('somebody.long@example.com', 'Somebody.Long@example.com'), 400, 'WEAK_PASSWORD');
    assert.equal((await attempt('new3@example.com', 'correct horse battery')).status, 200);
    await changeSettings(latchkey, { mfa: 'optional', passwordMinLength: 15 }, 'production');
  });
});
