import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { register, startTestLatchkey, TestClock, type TestLatchkey } from '../../../server/tests/harness.ts';
import { SessionTooLarge, setCookieOf } from '../src/cookies.ts';
import { changesFor, isLive, readSession } from '../src/session.ts';
import { type Application, applicationOf, enter, sessionPartsOf, startApplication, visitorOf } from './application.ts';

const DAY = 86_400_000;

const clock = new TestClock();
let latchkey: TestLatchkey;
let app: Application;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
  app = await startApplication(latchkey);
});
after(() => latchkey.stop());

async function signedIn() {
  const person = await register(latchkey);
  const browser = visitorOf(app, latchkey);
  await enter(browser, person);
  const session = await browser.session();
  assert.ok(session);
  return { person, browser, session };
}

describe('the session', () => {
  test('is left alone while its access token lasts', async () => {
    const { browser, session } = await signedIn();
    assert.deepEqual(await browser.page(), browser.cookies);
    assert.deepEqual(await browser.session(), session);
  });

  test('is renewed before a page is rendered, and the page sees what the browser gets', async () => {
    const { browser, session } = await signedIn();
    await browser.age();
    const seen = await browser.page();
    const renewed = await browser.session();
    assert.ok(renewed && isLive(renewed));
    assert.notEqual(renewed.refreshToken, session.refreshToken);
    assert.deepEqual(renewed.user, session.user);
    assert.deepEqual(await readSession(app.settings, seen), renewed);
  });

  test('survives requests at the same moment, also on several servers', async () => {
    const { browser } = await signedIn();
    await browser.age();
    const tabs = Array.from({ length: 8 }, () => {
      const tab = visitorOf(app, latchkey);
      for (const [name, value] of browser.cookies) tab.cookies.set(name, value);
      return tab;
    });
    const servers = [app, applicationOf(app.options)];
    await Promise.all(tabs.map((tab, index) => tab.page(servers[index % 2])));
    const sessions = await Promise.all(tabs.map((tab) => tab.session()));
    assert.equal(new Set(sessions.map((session) => session?.refreshToken)).size, 1);
    const [last] = tabs;
    assert.ok(last);
    await last.age();
    await last.page();
    assert.ok(await last.session(), 'and can be renewed again');
  });

  test('ends here when it has ended at Latchkey', async () => {
    const { person, browser } = await signedIn();
    // The sign-in in the browser is another session of the person.
    await latchkey.auth('/v1/sessions/logout', { token: person.access_token, body: { everywhere: true } });
    await browser.age();
    assert.deepEqual([...(await browser.page())], []);
    assert.deepEqual([...browser.cookies], []);
  });

  test('stays while Latchkey cannot be reached, but nobody is signed in by a token that has ended', async () => {
    const { browser } = await signedIn();
    await browser.age();
    await browser.page(applicationOf({ ...app.options, issuer: 'http://localhost:65535' }));
    const kept = await browser.session();
    assert.ok(kept && !isLive(kept));
    await browser.page();
    assert.ok(await browser.session());
  });

  test('is nobody’s where the cookie was changed, or made for something else', async () => {
    const { browser } = await signedIn();
    const [name = '', value = ''] = [...browser.cookies][0] ?? [];
    const middle = Math.floor(value.length / 2);
    const flipped = value[middle] === 'A' ? 'B' : 'A';
    await browser.call('/auth/sign-in');
    const signIn = [...browser.cookies.entries()].find(([other]) => other !== name)?.[1] ?? '';
    const values = [
      value.slice(0, middle) + flipped + value.slice(middle + 1),
      value.slice(0, -1),
      signIn,
      'eyJhbGciOiJub25lIn0.e30.',
      '{}',
      '....',
      '🔑',
    ];
    const found = await Promise.all(values.map((made) => readSession(app.settings, new Map([[name, made]]))));
    assert.deepEqual(
      found,
      values.map(() => null),
    );
    const others = [{ cookieSecret: 'x'.repeat(32) }, { clientId: 'app_other' }];
    const elsewhere = await Promise.all(
      others.map((other) => readSession({ ...app.settings, ...other }, browser.cookies)),
    );
    assert.deepEqual(elsewhere, [null, null]);
    browser.cookies.set(name, values[0] ?? '');
    await browser.page();
    assert.equal(await browser.session(), null);
  });

  test('is divided over cookies, which are removed when it shrinks, up to what servers accept', async () => {
    const { browser, session } = await signedIn();
    const withClaim = (length: number) => ({ ...session, user: { ...session.user, claim: 'x'.repeat(length) } });
    const large = await changesFor(app.settings, new Map(), withClaim(4_000));
    assert.ok(large.length > 1);
    for (const change of large) assert.ok(setCookieOf(app.settings, change).length < 4_096);
    for (const { name, value } of large) browser.cookies.set(name, value ?? '');
    assert.deepEqual(await browser.session(), withClaim(4_000));
    await browser.age();
    await browser.page();
    assert.deepEqual(sessionPartsOf(browser.cookies), ['latchkey-session.0']);
    assert.deepEqual((await browser.session())?.user, session.user);
    await assert.rejects(changesFor(app.settings, new Map(), withClaim(10_000)), SessionTooLarge);
  });

  test('is in a cookie of this host only, where there is https', async () => {
    const { session } = await signedIn();
    const settings = { ...app.settings, origin: 'https://app.example.com' };
    const [change] = await changesFor(settings, new Map(), session);
    assert.ok(change);
    assert.match(setCookieOf(settings, change), /^__Host-latchkey-session\.0=[^;]+; Path=\/; HttpOnly; .*; Secure$/);
  });

  test('ends with its refresh token', async () => {
    const { browser } = await signedIn();
    clock.advance(400 * DAY);
    await browser.age();
    await browser.page();
    assert.deepEqual([...browser.cookies], []);
  });
});
