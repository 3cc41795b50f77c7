import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as client from 'openid-client';
import { subscribe } from '#billing';
import { visitorOf } from '#tests/account.ts';
import { codesOf, totpOf } from '#tests/factors.ts';
import {
  changeSettings,
  lastMessage,
  mailedCode,
  mailedToken,
  newEmail,
  PASSWORD,
  prove,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';
import { browserOf, codeFlow, userInfoOf } from '#tests/oidc.ts';

const clock = new TestClock();
let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
});
after(() => latchkey.stop());

describe('signing in through the pages', () => {
  test('an application gets tokens for the person who signed in with a password', async () => {
    const { email, session } = await register(latchkey, { profile: { displayName: 'Ada Lovelace' } });
    const flow = await codeFlow(latchkey, { scope: 'openid profile email' });
    const browser = browserOf(latchkey);
    const page = await browser.open(flow.url);
    assert.match(page.text, /Sign in/);
    const back = await browser.submit(page, { identifier: email, password: PASSWORD });
    const tokens = await flow.finish(back);
    assert.equal(tokens.claims()?.sub, session.userId);
    const info = await client.fetchUserInfo(flow.configuration, tokens.access_token, session.userId);
    assert.deepEqual([info['email'], info['name']], [email, 'Ada Lovelace']);
    const { rows } = await latchkey.system.pool.query(
      "/* all workspaces */ select data->>'applicationId' as id from events where type = 'user.login' and data->>'userId' = $1 order by id",
      [session.userId],
    );
    assert.equal(rows.length, 2, 'the registration by the API, which named no application, and this sign-in');
    assert.deepEqual(
      [rows.filter(({ id }) => id === null).length, rows.filter(({ id }) => /^app_/.test(id)).length],
      [1, 1],
    );
  });

  test('a new person registers there, verifies the address if required, and lands in the application', async () => {
    const email = newEmail();
    const flow = await codeFlow(latchkey, { scope: 'openid email' }, { environment: 'production' });
    const browser = browserOf(latchkey);
    const start = await browser.open(flow.url);
    const form = await browser.open(`${start.url}/register`);
    assert.match(form.text, /autocomplete="new-password"/);
    const weak = await browser.submit(form, { email, password: 'tiny', name: 'Ada' }, '/register');
    assert.match(weak.text, /Choose another password/);
    assert.ok(weak.text.includes(email) && !weak.text.includes('tiny'));
    const code = await browser.submit(weak, { email, password: PASSWORD, name: 'Ada' }, '/register');
    assert.match(code.text, /Enter your code/);
    const wrong = await browser.submit(code, { code: '0000 0000' }, '/code');
    assert.match(wrong.text, /This code is wrong/);
    const back = await browser.submit(wrong, { code: await mailedCode(latchkey, email) }, '/code');
    assert.equal((await userInfoOf(flow, await flow.finish(back)))['email'], email);
  });

  for (const [way, minutes] of [
    ['magic_link', 15],
    ['email_code', 10],
  ] as const) {
    test(`by mail (${way}): the code is entered where it was requested`, async () => {
      const { email, session } = await register(latchkey);
      const flow = await codeFlow(latchkey);
      const browser = browserOf(latchkey);
      const code = await browser.submit(await browser.open(flow.url), { address: email, way }, '/send');
      assert.match(code.text, new RegExp(`It works for ${minutes} minutes`));
      const back = await browser.submit(code, { code: await mailedCode(latchkey, email) }, '/code');
      assert.equal((await flow.finish(back)).claims()?.sub, session.userId);
    });
  }

  test('the mailed link ends in the application, in the requesting browser', async () => {
    const { email, session } = await register(latchkey);
    const flow = await codeFlow(latchkey);
    const browser = browserOf(latchkey);
    await browser.submit(await browser.open(flow.url), { address: email, way: 'magic_link' }, '/send');
    const { auth } = latchkey.system.config.addresses.test;
    const page = await browser.open(`${auth}/link/sign-in?token=${await mailedToken(latchkey, email)}`);
    const back = await browser.submit(page, {});
    assert.equal((await flow.finish(back)).claims()?.sub, session.userId);
  });

  test('a second factor is asked for, another can be chosen, and a recovery code works', async () => {
    const person = await register(latchkey);
    const app = await totpOf(latchkey, person, clock);
    const flow = await codeFlow(latchkey);
    const browser = browserOf(latchkey);
    const asked = await browser.submit(await browser.open(flow.url), { identifier: person.email, password: PASSWORD });
    assert.match(asked.text, /code from your authenticator app/);
    const wrong = await browser.submit(asked, { code: '000000' }, '/mfa');
    assert.match(wrong.text, /This code is wrong/);
    const other = await browser.submit(wrong, {}, '/mfa/factor');
    assert.match(other.text, /recovery codes/);
    const back = await browser.submit(other, { code: app.recoveryCodes[0] ?? '' }, '/mfa');
    const claims = (await flow.finish(back)).claims();
    assert.deepEqual([claims?.acr, claims?.amr], ['aal2', ['pwd', 'otp', 'mfa']]);
  });

  test('SMS-7 if no text message can be sent, phones are not offered, and a phone factor says so beside the others', async () => {
    const person = await register(latchkey);
    const phone = '+4915155550009';
    const token: string = person.access_token;
    const begun = await latchkey.api('/v1/me/security/mfa/phone', { token, body: { phone } });
    const code = /\d{8}/.exec((await lastMessage(latchkey, phone)).text)?.[0];
    await latchkey.api('/v1/me/security/mfa/phone/confirm', { token, body: { flowId: begun.body.flowId, code } });
    await totpOf(latchkey, person, clock);
    const flow = await codeFlow(latchkey);
    const browser = browserOf(latchkey);
    const asked = await browser.submit(await browser.open(flow.url), { identifier: person.email, password: PASSWORD });
    // With a subscription, the plan's limits apply in the test environment too.
    await latchkey.inProject((tx) => subscribe(tx, 'starter'));
    await latchkey.system.pool.query('update sms_periods set used = 150');
    const factorId = /name="factorId" value="(fac_\w+)"/.exec(asked.text)?.[1] ?? '';
    const refused = await browser.submit(asked, { factorId }, '/mfa/factor');
    assert.match(refused.text, /Text messages cannot be sent right now/);
    assert.match(refused.text, /code from your authenticator app/);
    assert.match(refused.text, /recovery/);
    await latchkey.system.pool.query('update sms_periods set used = 0');
    const production = await codeFlow(latchkey, {}, { environment: 'production' });
    await changeSettings(latchkey, { signInMethods: ['password', 'phone'] }, 'production');
    assert.doesNotMatch((await browserOf(latchkey).open(production.url)).text, /type="tel"/);
    await latchkey.inProject((tx) => subscribe(tx, 'starter'), { environment: 'production' });
    assert.match((await browserOf(latchkey).open(production.url)).text, /type="tel"/);
    await changeSettings(
      latchkey,
      { signInMethods: ['password', 'magic_link', 'email_code', 'passkey', 'social'] },
      'production',
    );
  });

  test('acr_values=aal2 steps up users with a factor; as an essential claim it is refused without one', async () => {
    const person = await register(latchkey);
    const browser = browserOf(latchkey);
    const first = await codeFlow(latchkey);
    await first.finish(
      await browser.submit(await browser.open(first.url), { identifier: person.email, password: PASSWORD }),
    );
    const claims = JSON.stringify({ id_token: { acr: { essential: true, value: 'aal2' } } });
    const essential = await codeFlow(latchkey, { claims });
    const refused = await browser.open(essential.url);
    assert.equal(new URL(refused.url).searchParams.get('error'), 'unmet_authentication_requirements');
    const app = await totpOf(latchkey, person, clock);
    const wanted = await codeFlow(latchkey, { acr_values: 'aal2' });
    const asked = await browser.submit(await browser.open(wanted.url), {
      identifier: person.email,
      password: PASSWORD,
    });
    const back = await browser.submit(asked, { code: app.code() }, '/mfa');
    assert.equal((await wanted.finish(back)).claims()?.acr, 'aal2');
  });

  test('a required factor that is missing is set up during sign-in, and reloading keeps it', async () => {
    const person = await register(latchkey);
    await changeSettings(latchkey, { mfa: 'required' });
    const flow = await codeFlow(latchkey);
    const browser = browserOf(latchkey);
    const page = await browser.submit(await browser.open(flow.url), { identifier: person.email, password: PASSWORD });
    const secret = /<code>([A-Z2-7]{32})<\/code>/.exec(page.text)?.[1] ?? '';
    assert.ok((await browser.open(page.url)).text.includes(secret) && secret);
    const shown = await browser.submit(page, { code: codesOf(secret, clock)() }, '/enroll');
    assert.equal([...shown.text.matchAll(/<li><code>/g)].length, 10);
    const back = await browser.submit(shown, {}, '/recovery-codes');
    assert.equal((await flow.finish(back)).claims()?.acr, 'aal2');
    await changeSettings(latchkey, { mfa: 'optional' });
  });

  test('a forgotten password is replaced during the sign-in', async () => {
    const { email, session } = await register(latchkey);
    const flow = await codeFlow(latchkey);
    const browser = browserOf(latchkey);
    const start = await browser.open(flow.url);
    const forgot = await browser.open(`${start.url}/forgot`);
    const reset = await browser.submit(forgot, { identifier: email }, '/forgot');
    const fields = { code: await mailedCode(latchkey, email), password: 'a password that is new' };
    const again = await browser.submit(reset, fields, '/reset');
    assert.match(again.text, /Your password has been changed/);
    const back = await browser.submit(again, { identifier: email, password: fields.password });
    assert.equal((await flow.finish(back)).claims()?.sub, session.userId);
  });

  test('a provider is a click away, and its refusal returns to this page', async () => {
    const browser = browserOf(latchkey);
    const flow = await codeFlow(latchkey, { scope: 'openid email' });
    const start = await browser.open(flow.url);
    assert.match(start.text, /Continue with Dev provider/);
    const there = await browser.open(`${start.url}/provider/dev`);
    const email = newEmail();
    const denied = await browser.submit(there, { email, name: 'Ada', deny: 'yes' });
    assert.match(denied.text, /role="alert"/);
    const again = await browser.open(`${start.url}/provider/dev`);
    const back = await browser.submit(again, { email, name: 'Ada', verified: 'yes' });
    assert.equal((await userInfoOf(flow, await flow.finish(back)))['email'], email);
  });

  test('AU-8 a provider’s address that has an account is linked once its owner has signed in to it', async () => {
    const email = newEmail();
    const { session } = await prove(latchkey, await register(latchkey, { email }));
    const viaProvider = async () => {
      const flow = await codeFlow(latchkey);
      const browser = browserOf(latchkey);
      const start = await browser.open(flow.url);
      const there = await browser.open(`${start.url}/provider/dev`);
      return { flow, browser, back: await browser.submit(there, { email, name: 'Ada', verified: 'yes' }) };
    };
    const first = await viaProvider();
    assert.match(first.back.text, /Is this your account\?/);
    assert.match(first.back.text, /to link Dev provider/);
    const proven = await first.browser.submit(first.back, { identifier: email, password: PASSWORD });
    assert.match(proven.text, new RegExp(`Link the Dev provider account ${email} to your account ${email}`));
    const linked = await first.browser.submit(proven, { decision: 'link' });
    assert.equal((await first.flow.finish(linked)).claims()?.sub, session.userId);
    const second = await viaProvider();
    assert.equal((await second.flow.finish(second.back)).claims()?.sub, session.userId);
  });

  test('AU-8 proof of another account links nothing', async () => {
    const email = newEmail();
    await prove(latchkey, await register(latchkey, { email }));
    const stranger = await register(latchkey);
    const flow = await codeFlow(latchkey);
    const browser = browserOf(latchkey);
    const start = await browser.open(flow.url);
    const there = await browser.open(`${start.url}/provider/dev`);
    const asked = await browser.submit(there, { email, name: 'Ada', verified: 'yes' });
    const back = await browser.submit(asked, { identifier: stranger.email, password: PASSWORD });
    assert.equal((await flow.finish(back)).claims()?.sub, stranger.session.userId);
    const { body } = await latchkey.api('/v1/me/linked-identities', { token: stranger.access_token });
    assert.deepEqual(body.items, []);
  });

  test('after five wrong codes the sign-in starts again', async () => {
    const person = await register(latchkey);
    await totpOf(latchkey, person, clock);
    const flow = await codeFlow(latchkey);
    const browser = browserOf(latchkey);
    let page = await browser.submit(await browser.open(flow.url), { identifier: person.email, password: PASSWORD });
    for (let tries = 0; tries < 6 && page.url.endsWith('/mfa'); tries += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: one try after the other
      page = await browser.submit(page, { code: '000000' }, '/mfa');
    }
    assert.ok(!page.url.endsWith('/mfa'), page.url);
    assert.match(page.text, /type="password"/);
  });

  test('identifier first: the address, then the password', async () => {
    await changeSettings(latchkey, { signInLayout: 'identifier_first' });
    const { email, session } = await register(latchkey);
    const flow = await codeFlow(latchkey);
    const browser = browserOf(latchkey);
    const start = await browser.open(flow.url);
    assert.ok(!start.text.includes('type="password"'));
    const next = await browser.submit(start, { identifier: email });
    const back = await browser.submit(next, { password: PASSWORD }, '/password');
    assert.equal((await flow.finish(back)).claims()?.sub, session.userId);
    await changeSettings(latchkey, { signInLayout: 'combined' });
  });

  test('OA-6 the pages cannot be framed, run no inline script, and accept forms only from themselves', async () => {
    const flow = await codeFlow(latchkey);
    const browser = browserOf(latchkey);
    const page = await browser.open(flow.url);
    const { auth } = latchkey.system.config.addresses.test;
    const jar = [...browser.cookies.values()].flatMap((cookies) =>
      [...cookies].map(([name, value]) => `${name}=${value}`),
    );
    const headers = { cookie: jar.join('; '), accept: 'text/html' };
    const response = await latchkey.auth(page.url.slice(auth.length), { headers });
    const policy = response.headers.get('content-security-policy') ?? '';
    assert.match(policy, /frame-ancestors 'none'/);
    assert.match(policy, /script-src 'self'(;|$)/);
    assert.ok(!policy.includes('unsafe-inline'));
    assert.ok(!policy.includes('form-action'), 'an application may redirect on to anywhere');
    assert.equal(response.headers.get('x-frame-options'), 'DENY');
    assert.ok(!/<script>|onclick=/.test(response.text));
    const body = new URLSearchParams({ identifier: 'x', password: 'y' });
    const forged = await latchkey.auth(page.url.slice(auth.length), {
      body,
      headers: { ...headers, origin: 'https://evil.example' },
    });
    assert.equal(forged.status, 403);
  });

  test('another browser cannot continue a sign-in, and sees what to do', async () => {
    const flow = await codeFlow(latchkey);
    const page = await browserOf(latchkey).open(flow.url);
    const stranger = await browserOf(latchkey).open(page.url);
    assert.equal(stranger.status, 400);
    assert.match(stranger.text, /Go back to the application and start again/);
  });

  test('the page uses the requested language', async () => {
    const flow = await codeFlow(latchkey, { ui_locales: 'xx de' });
    const page = await browserOf(latchkey).open(flow.url);
    assert.match(page.text, /<html lang="de" dir="ltr">/);
    assert.match(page.text, /Anmelden/);
    const arabic = await browserOf(latchkey).open((await codeFlow(latchkey, { ui_locales: 'ar-EG' })).url);
    assert.match(arabic.text, /<html lang="ar" dir="rtl">/);
    assert.match(arabic.text, /تسجيل الدخول/);
  });

  test('a language that the project does not offer is not used, nor offered in the account', async () => {
    await changeSettings(latchkey, { locales: ['en', 'fr'], defaultLanguage: 'fr' });
    const flow = await codeFlow(latchkey, { ui_locales: 'de ja' });
    const page = await browserOf(latchkey).open(flow.url);
    const { page: profile } = await visitorOf(latchkey, '');
    await changeSettings(latchkey, { locales: ['en', 'de', 'fr', 'es', 'ja', 'zh', 'ar'], defaultLanguage: 'en' });
    assert.match(page.text, /<html lang="fr" dir="ltr">/);
    const [list = ''] = /<select name="locale".*?<\/select>/s.exec(profile.text) ?? [];
    const offered = [...list.matchAll(/value="(\w+)"/g)].map(([, language]) => language);
    assert.deepEqual(offered, ['en', 'fr']);
  });
});
