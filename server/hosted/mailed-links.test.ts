import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  changeSettings,
  expectProblem,
  mailedCode,
  mailedToken,
  managementToken,
  newEmail,
  PASSWORD,
  prove,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';

const REDIRECT = 'http://localhost:5173/callback';
const METHODS = ['password', 'magic_link', 'email_code', 'phone', 'passkey', 'social'];

let latchkey: TestLatchkey;
let origin: string;
before(async () => {
  latchkey = await startTestLatchkey();
  origin = latchkey.system.config.addresses.test.auth;
});
after(() => latchkey.stop());

const ask = (body: Record<string, unknown>) => latchkey.auth('/v1/auth/login/magic-link', { body });
const look = (kind: string, token: string, method = 'GET') => latchkey.auth(`/link/${kind}?token=${token}`, { method });
const click = (kind: string, token: string, fields: Record<string, string> = {}, from = origin) =>
  latchkey.auth(`/link/${kind}`, { body: new URLSearchParams({ token, ...fields }), headers: { origin: from } });

describe('a mailed sign-in link', () => {
  test('a scanner that opens it repeatedly spends nothing; a click signs in', async () => {
    const { email } = await register(latchkey);
    await ask({ email });
    const token = await mailedToken(latchkey, email);
    for (const method of ['GET', 'HEAD', 'GET', 'GET']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const seen = await look('sign-in', token, method);
      assert.equal(seen.status, 200);
      assert.deepEqual(seen.headers.getSetCookie(), []);
    }
    const done = await click('sign-in', token);
    assert.equal(done.status, 200, done.text);
    assert.equal(done.headers.getSetCookie().length, 2);
    assert.equal((await click('sign-in', token)).status, 400);
    assert.match((await look('sign-in', token)).text, /no longer works/);
  });

  test('a link of a method that was disabled since does not work', async () => {
    const { email } = await register(latchkey);
    await ask({ email });
    const token = await mailedToken(latchkey, email);
    await changeSettings(latchkey, { signInMethods: ['password'] });
    const refused = await click('sign-in', token);
    await changeSettings(latchkey, { signInMethods: METHODS });
    assert.equal(refused.status, 403, refused.text);
    assert.deepEqual(refused.headers.getSetCookie(), []);
    assert.equal((await click('sign-in', token)).status, 200, 'nothing was spent');
  });

  test('the page names the account, the destination and the requester; it cannot be framed or run scripts', async () => {
    const { email } = await register(latchkey);
    await latchkey.auth('/v1/auth/login/magic-link', {
      body: { email },
      headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0', 'x-forwarded-for': '203.0.113.9' },
    });
    const page = await look('sign-in', await mailedToken(latchkey, email));
    assert.ok(page.text.includes(email) && page.text.includes('Shop'));
    assert.match(page.text, /Firefox on Linux, 203\.0\.113\.9/);
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.match(policy, /script-src 'self'(;|$)/);
    assert.ok(!/<script/.test(page.text));
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer');
    assert.equal(page.headers.get('cache-control'), 'no-store');
  });

  test('the page speaks the language of the browser', async () => {
    const { email } = await register(latchkey);
    await ask({ email });
    const token = await mailedToken(latchkey, email);
    const page = await latchkey.auth(`/link/sign-in?token=${token}`, {
      headers: { 'accept-language': 'fr-CH, de;q=0.5' },
    });
    assert.match(page.text, /<html lang="fr"/);
    assert.match(page.text, /Se connecter à Shop/);
  });

  test('another site’s page cannot press the button', async () => {
    const { email } = await register(latchkey);
    await ask({ email });
    const token = await mailedToken(latchkey, email);
    expectProblem(await click('sign-in', token, {}, 'https://evil.example'), 403, 'ORIGIN_NOT_ALLOWED');
    assert.equal((await click('sign-in', token)).status, 200);
  });

  test('with the application’s redirect address it leads there, with a code that works once', async () => {
    const { clientId } = latchkey.demo.environments.test;
    const { email, session } = await register(latchkey);
    const asked = await ask({ email, clientId, redirectUri: REDIRECT, state: 'abc' });
    assert.equal(asked.status, 202, asked.text);
    const done = await click('sign-in', await mailedToken(latchkey, email));
    assert.equal(done.status, 303);
    const back = new URL(done.headers.get('location') ?? '');
    assert.equal(back.origin + back.pathname, REDIRECT);
    assert.equal(back.searchParams.get('state'), 'abc');
    const code = back.searchParams.get('code');
    const exchange = () => latchkey.auth('/v1/auth/login/social/exchange', { body: { code, clientId } });
    assert.equal((await exchange()).body.session.userId, session.userId);
    expectProblem(await exchange(), 400, 'INVALID_TOKEN');
    const wrong = await ask({ email, clientId, redirectUri: 'https://evil.example/' });
    expectProblem(wrong, 400, 'VALIDATION_FAILED');
    expectProblem(await ask({ email, redirectUri: REDIRECT }), 400, 'VALIDATION_FAILED');
  });

  test('if a second factor is required, the link stays valid, and the page says to enter the code in the requesting browser', async () => {
    const person = await prove(latchkey, await register(latchkey));
    const phone = '+4915155555555';
    const { access_token: token } = person;
    const begun = await latchkey.api('/v1/me/security/mfa/phone', { token, body: { phone } });
    const { body } = await latchkey.console(`/dev/inbox?to=${encodeURIComponent(phone)}`);
    const code = /\d{8}/.exec(body.items[0].text)?.[0];
    await latchkey.api('/v1/me/security/mfa/phone/confirm', { token, body: { flowId: begun.body.flowId, code } });
    const asked = await ask({ email: person.email });
    const done = await click('sign-in', await mailedToken(latchkey, person.email));
    assert.equal(done.status, 409);
    assert.match(done.text, /second step/);
    const proof = { flowId: asked.body.flowId, code: await mailedCode(latchkey, person.email) };
    const response = await latchkey.auth('/v1/auth/login/magic-link/verify', { body: proof });
    assert.equal(response.body.status, 'mfa_required', response.text);
  });
});

describe('other mailed links', () => {
  test('a click confirms an address, and then its account exists', async () => {
    const email = newEmail();
    const body = { email, password: PASSWORD };
    const asked = await latchkey.auth('/v1/auth/register', { body }, 'production');
    assert.equal(asked.body.status, 'verification_required', asked.text);
    const token = await mailedToken(latchkey, email);
    const { auth } = latchkey.system.config.addresses.production;
    const page = await latchkey.auth(`/link/verify?token=${token}`, {}, 'production');
    assert.match(page.text, /Confirm your address/);
    const password = 'chosen where the link was opened';
    const form = { body: new URLSearchParams({ token, password }), headers: { origin: auth } };
    assert.match((await latchkey.auth('/link/verify', form, 'production')).text, /is confirmed/);
    const login = await latchkey.auth(
      '/v1/auth/login/password',
      { body: { identifier: email, password } },
      'production',
    );
    assert.equal(login.status, 200, login.text);
  });

  test('PW-5 a new password is chosen on a page that password managers understand; a weak one is refused with the reason', async () => {
    const { email } = await register(latchkey);
    await latchkey.auth('/v1/auth/password/forgot', { body: { identifier: email } });
    const token = await mailedToken(latchkey, email);
    const page = await look('password', token);
    assert.match(page.text, /autocomplete="new-password"/);
    assert.match(page.text, /autocomplete="username"/);
    assert.ok(!/onpaste|autocomplete="off"/.test(page.text));
    const weak = await click('password', token, { password: 'short' });
    assert.equal(weak.status, 400);
    assert.match(weak.text, /role="alert"/);
    assert.match((await click('password', token, { password: 'a completely new password' })).text, /has been changed/);
  });

  test('if passwords are disabled, no password is reset, and an invited person joins without one', async () => {
    const { email } = await register(latchkey);
    await latchkey.auth('/v1/auth/password/forgot', { body: { identifier: email } });
    const [reset, invited] = [await mailedToken(latchkey, email), newEmail()];
    const body = { email: invited, roles: [] };
    await latchkey.api('/v1/admin/invitations', { token: await managementToken(latchkey), body });
    const invitation = await mailedToken(latchkey, invited);
    assert.match((await look('invitation', invitation)).text, /name="password"/);
    await changeSettings(latchkey, { signInMethods: ['magic_link'] });
    const refused = await click('password', reset, { password: 'a completely new password' });
    assert.deepEqual([refused.status, /not available here/.test(refused.text)], [403, true]);
    assert.doesNotMatch((await look('invitation', invitation)).text, /name="password"/);
    const joined = await click('invitation', invitation, { displayName: 'Grace' });
    assert.equal(joined.status, 200, joined.text);
    await ask({ email: invited });
    assert.equal((await click('sign-in', await mailedToken(latchkey, invited))).status, 200);
    await changeSettings(latchkey, { signInMethods: METHODS });
    assert.equal((await click('password', reset, { password: 'a completely new password' })).status, 200, 'not spent');
  });

  test('a link of another kind or environment, or a forged one, shows that it does not work', async () => {
    const { email } = await register(latchkey);
    await ask({ email });
    const token = await mailedToken(latchkey, email);
    assert.equal((await look('password', token)).status, 400);
    assert.equal((await look('sign-in', `${token}x`)).status, 400);
    assert.equal((await latchkey.auth(`/link/sign-in?token=${token}`, {}, 'production')).status, 400);
    assert.equal((await look('sign-in', token)).status, 200);
  });
});
