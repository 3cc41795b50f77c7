import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  eventsOf,
  expectProblem,
  lastMessage,
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

describe('changing an address', () => {
  test('the new address is proven with a code, and the old one is notified', async () => {
    const { email, access_token: token, session } = await register(latchkey);
    const wanted = newEmail();
    const begun = await latchkey.api('/v1/me/profile/email', { token, body: { email: wanted } });
    assert.equal(begun.status, 202, begun.text);
    const login = (identifier: string) =>
      latchkey.auth('/v1/auth/login/password', { body: { identifier, password: PASSWORD } });
    expectProblem(await login(wanted), 401, 'INVALID_CREDENTIALS');
    const verify = (code: string) =>
      latchkey.api('/v1/me/profile/email/verify', { token, body: { flowId: begun.body.flowId, code } });
    const code = await mailedCode(latchkey, wanted);
    expectProblem(await verify(code === '00000000' ? '11111111' : '00000000'), 401, 'INVALID_CODE');
    assert.equal((await verify(code)).status, 204);
    assert.equal((await login(wanted)).status, 200);
    expectProblem(await login(email), 401, 'INVALID_CREDENTIALS');
    assert.match((await lastMessage(latchkey, email)).text, /address/i);
    assert.ok((await eventsOf(latchkey, session.userId)).some((type) => /email/.test(type)));
  });

  test('the current address is verified in the same way; if it is verified already, nothing is sent', async () => {
    const { email, access_token: token, session } = await register(latchkey);
    const begin = () => latchkey.api('/v1/me/profile/email', { token, body: { email } });
    const { flowId } = (await begin()).body;
    const code = await mailedCode(latchkey, email);
    const verified = await latchkey.api('/v1/me/profile/email/verify', { token, body: { flowId, code } });
    assert.equal(verified.status, 204, verified.text);
    const { body } = await latchkey.api('/v1/me/profile', { token });
    assert.deepEqual([body.email, body.emailVerified], [email, true]);
    assert.ok((await eventsOf(latchkey, session.userId)).includes('user.email.verified'));
    clock.advance(60_000);
    assert.equal((await begin()).status, 202, 'the same response');
    assert.equal(await mailedCode(latchkey, email), code, 'no other code');
  });

  test('SE-4 needs a recent sign-in', async () => {
    const { access_token: token } = await register(latchkey);
    clock.advance(601_000);
    const response = await latchkey.api('/v1/me/profile/email', { token, body: { email: newEmail() } });
    expectProblem(response, 401, 'REAUTHENTICATION_REQUIRED');
  });

  test('a taken address gets the same response, and cannot be added', async () => {
    const [owner, other] = [await register(latchkey), await register(latchkey)];
    const token = other.access_token;
    const begun = await latchkey.api('/v1/me/profile/email', { token, body: { email: owner.email } });
    assert.equal(begun.status, 202, begun.text);
    const { body } = await latchkey.api('/v1/me/profile', { token });
    assert.equal(body.email, other.email);
  });

  test('another person’s code proves nothing', async () => {
    const [one, two] = [await register(latchkey), await register(latchkey)];
    const wanted = newEmail();
    const begun = await latchkey.api('/v1/me/profile/email', { token: one.access_token, body: { email: wanted } });
    const response = await latchkey.api('/v1/me/profile/email/verify', {
      token: two.access_token,
      body: { flowId: begun.body.flowId, code: await mailedCode(latchkey, wanted) },
    });
    expectProblem(response, 401, 'INVALID_CODE');
  });

  test('a phone number is added and changed the same way', async () => {
    const { access_token: token } = await register(latchkey);
    const phone = '+4915199887766';
    const begun = await latchkey.api('/v1/me/profile/phone', { token, body: { phone: '+49 151 99887766' } });
    const code = /\d{8}/.exec((await lastMessage(latchkey, phone)).text)?.[0];
    const done = await latchkey.api('/v1/me/profile/phone/verify', {
      token,
      body: { flowId: begun.body.flowId, code },
    });
    assert.equal(done.status, 204, done.text);
    const { body } = await latchkey.api('/v1/me/profile', { token });
    assert.deepEqual([body.phone, body.phoneVerified], [phone, true]);
  });
});
