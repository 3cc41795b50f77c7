import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createApplication } from '#applications';
import { listFactors } from '#factors';
import { usersById } from '#people';
import { linkIn, type Person, visitorOf } from '#tests/account.ts';
import { codesOf } from '#tests/factors.ts';
import {
  changeSettings,
  eventsOf,
  lastMessage,
  mailedCode,
  newEmail,
  PASSWORD,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';
import { browserOf, codeFlow, signInOn } from '#tests/oidc.ts';

const clock = new TestClock();
let latchkey: TestLatchkey;
let account: string;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
  account = `${latchkey.system.config.addresses.test.auth}/account`;
});
after(() => latchkey.stop());

const visitor = (path = '', person?: Person) => visitorOf(latchkey, path, person);
/** The stored data of a person, whose sessions may have ended. */
const known = async ({ session }: Person) =>
  (await latchkey.inProject((tx) => usersById(tx, [session.userId]))).get(session.userId);
const me = (person: Person, path: string) => latchkey.api(`/v1/me/${path}`, { token: person.access_token });

describe('signing in and out', () => {
  test('the address of the host alone leads to the account page', async () => {
    const question = await browserOf(latchkey).open(new URL('/', account).href);
    assert.match(question.url, /\/sign-in\//);
  });

  test('a stranger signs in and returns to the requested page', async () => {
    const browser = browserOf(latchkey);
    const question = await browser.open(`${account}/security`);
    assert.match(question.text, /to continue to Shop/);
    const person = await register(latchkey);
    const page = await browser.submit(question, { identifier: person.email, password: PASSWORD });
    assert.equal(page.url, `${account}/security`);
    assert.match(page.text, /<h1 id="title">Sign-in and security<\/h1>/);
  });

  test('an existing session opens the account page; the page is not listed as an application', async () => {
    const person = await register(latchkey);
    const browser = browserOf(latchkey);
    await signInOn(latchkey, await codeFlow(latchkey), person, browser);
    const page = await browser.open(`${account}/sessions`);
    assert.equal(page.url, `${account}/sessions`);
    const { body } = await me(person, 'security/applications');
    assert.equal(body.items.length, 1, 'the one application');
  });

  test('signing out ends the session everywhere, and the next visit requires a sign-in', async () => {
    const { browser, page, person } = await visitor();
    const out = await browser.submit(page, {}, '/sign-out');
    assert.ok(out.url.startsWith(`${account}/signed-out`), out.url);
    assert.match(out.text, /You are not signed in/);
    const { body } = await me(person, 'security/sessions');
    assert.equal(body.items.length, 1, 'the one of the API');
    assert.match((await browser.open(account)).url, /\/sign-in\//);
  });

  test('a sign-in is kept in the workspace, like every other', async () => {
    const { person } = await visitor();
    const { rows } = await latchkey.system.pool.query(
      `select distinct workspace_id from oidc_records where payload->>'accountId' = $1`,
      [person.session.userId],
    );
    assert.deepEqual(rows, [{ workspace_id: latchkey.demo.workspaceId }]);
  });

  test('a cancelled sign-in shows the signed-out page, without another redirect', async () => {
    const browser = browserOf(latchkey);
    const question = await browser.open(account);
    const page = await browser.submit(question, {}, '/cancel');
    assert.match(page.text, /You are not signed in/);
  });

  test('a blocked member is not let in', async () => {
    const { browser, page, person } = await visitor();
    assert.equal(page.url, account);
    const { rows } = await latchkey.system.pool.query('select id from members where user_id = $1', [
      person.session.userId,
    ]);
    const { email, password } = latchkey.demo.environments.test.owner;
    const owner = await latchkey.auth('/v1/auth/login/password', { body: { identifier: email, password } });
    const blocked = await latchkey.api(`/v1/admin/members/${rows[0].id}/block`, {
      token: owner.body.access_token,
      body: {},
    });
    assert.equal(blocked.status, 200, blocked.text);
    assert.match((await browser.open(account)).url, /\/sign-in\//);
  });

  test('the return address leads only to pages of the account', async () => {
    const { browser } = await visitor();
    for (const state of ['https://evil.example/', '//evil.example', '/account/../connect/logout', '/account?x']) {
      // biome-ignore lint/performance/noAwaitInLoops: one browser
      const page = await browser.open(`${account}/return?state=${encodeURIComponent(state)}`);
      assert.equal(page.url, account, state);
    }
  });

  test('a form of another site changes nothing', async () => {
    const { browser, person } = await visitor();
    const cookie = [...(browser.cookies.get('/') ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(account, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, origin: 'https://evil.example', 'content-type': 'application/x-www-form-urlencoded' },
      body: 'displayName=Eve',
    });
    assert.equal(response.status, 403);
    assert.equal((await me(person, 'profile')).body.displayName, null);
  });

  test('other applications cannot sign people in without a code', async () => {
    const { clientId } = latchkey.demo.environments.test;
    const flow = await codeFlow(latchkey, { response_type: 'none' }, { clientId });
    const response = await fetch(flow.url, { redirect: 'manual' });
    assert.match(response.headers.get('location') ?? '', /error=invalid_request.*response_type/);
  });
});

describe('the profile', () => {
  test('can be changed; an emptied field is cleared, an unchanged one is not written', async () => {
    const { browser, page, person } = await visitor();
    const saved = await browser.submit(
      page,
      {
        displayName: 'Ada Lovelace',
        username: 'ada.l',
        middleName: 'Augusta',
        nickname: 'Countess',
        birthdate: '1815-12-10',
        gender: 'female',
        website: 'https://ada.example/?page=1&lang=en',
        profile: `https://social.example/${'a'.repeat(1_000)}`,
        locale: 'de',
        zoneinfo: 'Europe/Berlin',
      },
      '/account',
    );
    assert.match(saved.text, /Deine Änderung ist gespeichert/, 'in the language just chosen');
    const { body } = await me(person, 'profile');
    assert.deepEqual(
      [body.displayName, body.username, body.birthdate, body.locale, body.zoneinfo],
      ['Ada Lovelace', 'ada.l', '1815-12-10', 'de', 'Europe/Berlin'],
    );
    assert.deepEqual(
      [body.middleName, body.nickname, body.gender, body.website, body.profile.length],
      ['Augusta', 'Countess', 'female', 'https://ada.example/?page=1&lang=en', 1_023],
    );
    await browser.submit(saved, { displayName: '', username: 'ada.l' }, '/account');
    assert.equal((await me(person, 'profile')).body.displayName, null);
    const again = await browser.open(account);
    assert.doesNotMatch(again.text, /gespeichert/, 'said once');
    const { rows } = await latchkey.system.pool.query(
      `select data->'changed' as changed from events where type = 'profile.updated' and data->>'userId' = $1 order by id`,
      [person.session.userId],
    );
    assert.deepEqual(rows.at(-1).changed, ['displayName']);
  });

  test('a taken username, an invalid date and an invalid web address show an error', async () => {
    const taken = `t${crypto.randomUUID().slice(0, 8)}`;
    const { browser, page } = await visitor();
    await browser.submit(page, { username: taken }, '/account');
    const other = await visitor();
    const refused = await other.browser.submit(other.page, { username: taken }, '/account');
    assert.match(refused.text, /already in use/);
    assert.equal(refused.status, 400);
    for (const fields of [{ birthdate: 'yesterday' }, { website: 'javascript:alert(1)' }, { profile: 'ada.example' }]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const wrong = await other.browser.submit(other.page, fields, '/account');
      assert.match(wrong.text, /check what you entered/);
    }
  });

  test('a new email address counts when its code is entered; the previous address is notified', async () => {
    const { browser, page, person } = await visitor('/email');
    const next = newEmail();
    const question = await browser.submit(page, { email: next }, '/email');
    assert.match(question.text, new RegExp(`sent a code to ${next}`));
    const wrong = await browser.submit(question, { code: '00000000' }, '/code');
    assert.match(wrong.text, /This code is wrong/);
    assert.equal((await me(person, 'profile')).body.email, person.email);
    const done = await browser.submit(wrong, { code: await mailedCode(latchkey, next) }, '/code');
    assert.equal(done.url, account);
    assert.equal((await known(person))?.email, next);
    assert.equal((await me(person, 'profile')).status, 401, 'the other session');
    assert.match((await lastMessage(latchkey, person.email)).text, /email address/i);
  });

  test('an unconfirmed address can be confirmed', async () => {
    const { browser, page, person } = await visitor();
    assert.match(page.text, /not confirmed/);
    const ask = await browser.open(linkIn(page, /href="(\/account\/email\/confirm)"/));
    const question = await browser.submit(ask, {}, '/email');
    const done = await browser.submit(question, { code: await mailedCode(latchkey, person.email) }, '/code');
    assert.equal(done.url, account);
    assert.doesNotMatch(done.text, /not confirmed/);
  });

  test('a phone number is added the same way', async () => {
    await changeSettings(latchkey, { testPhoneNumbers: [{ phone: '+4915112345678', code: '13572468' }] });
    const { browser, page, person } = await visitor('/phone');
    const question = await browser.submit(page, { phone: '+49 151 12345678' }, '/phone');
    const done = await browser.submit(question, { code: '1357 2468' }, '/code');
    assert.match(done.text, /Your change has been saved/);
    const { phone, phoneVerified } = (await known(person)) ?? {};
    assert.deepEqual([phone, phoneVerified], ['+4915112345678', true]);
  });
});

describe('SE-4 a change', () => {
  test('asks an old session to sign in again, and returns to its page', async () => {
    const { browser, page, person } = await visitor('/password');
    clock.advance(11 * 60_000);
    const question = await browser.submit(
      page,
      { current: PASSWORD, password: 'another long passphrase' },
      '/password',
    );
    assert.match(question.text, /Confirm it is you/);
    assert.match(question.text, new RegExp(`value="${person.email}"`));
    const back = await browser.submit(question, { identifier: person.email, password: PASSWORD });
    assert.equal(back.url, `${account}/password`);
    const done = await browser.submit(back, { current: PASSWORD, password: 'another long passphrase' }, '/password');
    assert.equal(done.url, `${account}/security`);
  });

  test('pages that only show data do not ask', async () => {
    const { browser } = await visitor();
    clock.advance(11 * 60_000);
    assert.equal((await browser.open(`${account}/security`)).url, `${account}/security`);
    assert.match((await browser.open(`${account}/authenticator`)).url, /\/sign-in\//);
  });
});

describe('the password', () => {
  test('needs the current one, refuses weak ones, and signs out all other devices', async () => {
    const { browser, page, person } = await visitor('/password');
    const fresh = 'several quiet mountains';
    const wrong = await browser.submit(page, { current: 'not it at all, no', password: fresh }, '/password');
    assert.match(wrong.text, /current password is wrong/);
    const weak = await browser.submit(wrong, { current: PASSWORD, password: 'passwordpassword' }, '/password');
    assert.match(weak.text, /Choose another password/);
    await browser.submit(weak, { current: PASSWORD, password: fresh }, '/password');
    assert.equal((await me(person, 'profile')).status, 401, 'the other session');
    assert.equal((await browser.open(`${account}/security`)).url, `${account}/security`, 'this one');
    const { status } = await latchkey.auth('/v1/auth/login/password', {
      body: { identifier: person.email, password: fresh },
    });
    assert.equal(status, 200);
  });
});

describe('second factors', () => {
  test('an authenticator app is set up with a code, recovery codes are shown once, and it is removed again', async () => {
    const { browser, page, person } = await visitor('/authenticator');
    const secret = /<code>([A-Z2-7]+)<\/code>/.exec(page.text)?.[1] ?? '';
    const reloaded = await browser.open(`${account}/authenticator`);
    assert.ok(reloaded.text.includes(secret), 'reloading keeps what was scanned');
    const codes = await browser.submit(reloaded, { code: codesOf(secret, clock)() }, '/authenticator');
    assert.equal(codes.url, `${account}/recovery-codes`);
    assert.equal([...codes.text.matchAll(/<li><code>/g)].length, 10);
    const security = await browser.submit(codes, {}, '/recovery-codes');
    assert.match(security.text, /On\. You are asked for a second step/);
    assert.match(security.text, /10 left/);
    assert.equal((await browser.open(`${account}/recovery-codes`)).url, `${account}/security`);
    assert.equal((await me(person, 'security')).status, 401, 'the other session');
    const ask = await browser.open(linkIn(security, /href="(\/account\/remove\/totp)"/));
    assert.match(ask.text, /Remove the authenticator app\?/);
    const removed = await browser.submit(ask, {}, '/totp');
    assert.match(removed.text, /Off\. A second step/);
    assert.ok((await eventsOf(latchkey, person.session.userId)).includes('user.mfa.disabled'));
  });

  test('new recovery codes replace the old ones', async () => {
    const { browser, page } = await visitor('/authenticator');
    const secret = /<code>([A-Z2-7]+)<\/code>/.exec(page.text)?.[1] ?? '';
    const codesOn = ({ text }: { text: string }) => [...text.matchAll(/<li><code>([^<]+)/g)].map(([, code]) => code);
    const recoveryCodes = codesOn(await browser.submit(page, { code: codesOf(secret, clock)() }, '/authenticator'));
    const ask = await browser.open(`${account}/recovery-codes/new`);
    const shown = codesOn(await browser.submit(ask, {}, '/recovery-codes/new'));
    assert.equal(shown.length, 10);
    assert.ok(!shown.includes(recoveryCodes[0]));
  });

  test('a phone is set up by a text message', async () => {
    await changeSettings(latchkey, {
      mfaFactors: ['totp', 'phone', 'passkey'],
      testPhoneNumbers: [{ phone: '+4915187654321', code: '24681357' }],
    });
    const { browser, page, person } = await visitor('/phone-factor');
    const question = await browser.submit(page, { phone: '+49 151 87654321' }, '/phone-factor');
    const codes = await browser.submit(question, { code: '24681357' }, '/code');
    assert.equal(codes.url, `${account}/recovery-codes`);
    const factors = await latchkey.inProject((tx) => listFactors(tx, person.session.userId));
    assert.deepEqual(
      factors.map(({ type }) => type),
      ['phone'],
    );
  });
});

describe('sessions and applications', () => {
  test('every device is listed with its applications, and can be signed out', async () => {
    const { clientId } = await latchkey.inProject((tx) =>
      createApplication(tx, { kind: 'spa', name: 'Photo album', redirectUris: ['http://localhost:5173/callback'] }),
    );
    const { browser, person } = await visitor();
    const elsewhere = browserOf(latchkey);
    const flow = await codeFlow(latchkey, {}, { clientId });
    await signInOn(latchkey, flow, person, elsewhere);
    const page = await browser.open(`${account}/sessions`);
    assert.match(page.text, /This device/);
    assert.match(page.text, /Photo album · /);
    const links = [...page.text.matchAll(/href="(\/account\/remove\/session\/[^"]+)"/g)];
    assert.equal(links.length, 2, 'the API and the other browser, not this one');
    const others = await browser.submit(await browser.open(`${account}/remove/others`), {}, '/others');
    assert.equal(others.url, `${account}/sessions`);
    assert.match((await elsewhere.open(account)).url, /\/sign-in\//);
    assert.equal((await me(person, 'profile')).status, 401);
    const gone = await browser.open(new URL(links[0]?.[1] ?? '', account).href);
    assert.match(gone.text, /no longer exists/);
  });

  test('OA-7 the access of an application can be revoked', async () => {
    const { clientId } = await latchkey.inProject((tx) =>
      createApplication(tx, {
        kind: 'spa',
        name: 'Elsewhere',
        firstParty: false,
        redirectUris: ['http://localhost:5173/callback'],
      }),
    );
    const { browser, person } = await visitor();
    const flow = await codeFlow(latchkey, {}, { clientId });
    const question = await browser.open(flow.url);
    await flow.finish(await browser.submit(question, { decision: 'allow' }, '/consent'));
    const page = await browser.open(`${account}/sessions`);
    assert.match(page.text, /Not run by Shop/);
    const ask = await browser.open(linkIn(page, /href="(\/account\/remove\/application\/[^"]+)"/));
    const after = await browser.submit(ask, {}, clientId);
    assert.match(after.text, /No applications have access/);
    assert.ok((await eventsOf(latchkey, person.session.userId)).includes('user.consent.revoked'));
  });
});

describe('missing records', () => {
  test('records of other people and unknown records look the same', async () => {
    const { browser } = await visitor();
    const other = await register(latchkey);
    for (const path of [`session/${other.session.id}`, 'session/nonsense', 'passkey/psk_01kaz3w9hqf8p9n2m4v5x6y7z8']) {
      // biome-ignore lint/performance/noAwaitInLoops: one browser
      const page = await browser.open(`${account}/remove/${path}`);
      assert.match(page.text, /no longer exists/, path);
    }
  });
});
