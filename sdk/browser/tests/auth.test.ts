import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../../../server/tests/browser.ts';
import { register, startTestLatchkey, type TestLatchkey } from '../../../server/tests/harness.ts';
import { type App, bundle, inPage, leaving, prove, settled, signedIn, startApp, tokenRequestsOf } from './app.ts';

const MAX_BYTES = 12_000;
const MINUTE = 60_000;

let latchkey: TestLatchkey;
let browser: Browser;
let sdk: string;
let app: App;
before(async () => {
  latchkey = await startTestLatchkey();
  browser = await openBrowser();
  sdk = await bundle();
  app = await startApp(latchkey, { sdk });
});
after(async () => {
  app.stop();
  await browser.close();
  await latchkey.stop();
});

test('the package is less than 12 kB, compressed', () => {
  const size = brotliCompressSync(sdk).length;
  assert.ok(size < MAX_BYTES, `${size} bytes`);
});

describe('a sign-in by the hosted pages', () => {
  test('comes back to the page it began on, and leaves nothing in the address; reloads keep the session', async () => {
    const person = await register(latchkey, { profile: { displayName: 'Ada' } });
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${app.origin}/orders?page=2#last`);
    await settled(page, 'signed-out');
    await leaving(page, `auth.signIn({ loginHint: '${person.email}' })`);
    await page.waitForURL('**/sign-in/**');
    assert.equal(await page.inputValue('input[name=identifier]'), person.email);
    await prove(page, person);
    await settled(page, 'signed-in');
    assert.equal(page.url(), `${app.origin}/orders?page=2#last`);
    const { user, isOnline, organization } = await inPage(page, 'auth.state');
    assert.deepEqual(
      [user.sub, user.email, user.name, isOnline, organization],
      [person.session.userId, person.email, 'Ada', true, null],
    );
    await page.reload();
    await settled(page, 'signed-in');
    await page.reload();
    await settled(page, 'signed-in');
    assert.equal(page.url(), `${app.origin}/orders?page=2#last`);
    assert.equal((await inPage(page, 'auth.state')).user.email, person.email);
  });

  test('is told apart from responses that are forged, replayed or from another issuer', async () => {
    const page = await (await browser.newContext()).newPage();
    const failureAt = async (query: string) => {
      await page.goto(`${app.origin}/?${query}`);
      await settled(page, 'signed-out');
      assert.equal(page.url(), `${app.origin}/`, 'the address is cleaned');
      return Object(await page.evaluate('globalThis.failure'));
    };
    assert.equal((await failureAt('code=stolen&state=unknown')).failed, 'sign_in_failed');
    const begin = async () => {
      await page.goto(app.origin);
      await settled(page, 'signed-out');
      await leaving(page, 'auth.signIn()');
      await page.waitForURL('**/sign-in/**');
      await page.goto(app.origin);
      const keys: unknown = await page.evaluate(`Object.keys(localStorage).filter((key) => key.includes(' state '))`);
      const [key = ''] = Array.isArray(keys) ? keys : [];
      return String(key).split(' ').at(-1) ?? '';
    };
    const mixedUp = await failureAt(`code=stolen&state=${await begin()}&iss=https://evil.example`);
    assert.match(mixedUp.message, /issuer/);
    const withoutIssuer = await failureAt(`code=stolen&state=${await begin()}`);
    assert.match(withoutIssuer.message, /issuer/);
    const state = await begin();
    const iss = encodeURIComponent(latchkey.system.config.addresses.test.auth);
    const denied = await failureAt(`error=access_denied&state=${state}&iss=${iss}`);
    assert.deepEqual([denied.failed, denied.oauthError], ['sign_in_failed', 'access_denied']);
    const replayed = await failureAt(`error=access_denied&state=${state}&iss=${iss}`);
    assert.match(replayed.message, /used before/);
    const code = await failureAt(`code=unknown&state=${await begin()}&iss=${iss}`);
    assert.deepEqual([code.failed, code.oauthError], ['refused', 'invalid_grant']);
    assert.match((await inPage(page, `auth.signIn({ returnTo: 'https://evil.example/' })`)).message, /origin/);
  });

  test('that failed does not end the session of another one', async () => {
    const person = await register(latchkey);
    const context = await browser.newContext();
    const page = await signedIn(context, app, person);
    const second = await context.newPage();
    await second.goto(`${app.origin}/?code=stolen&state=unknown`);
    await settled(second, 'signed-in');
    assert.equal((await inPage(page, 'auth.state')).status, 'signed-in');
  });
});

describe('the tabs of a browser', () => {
  test('have one session, and renew the tokens once', async () => {
    const person = await register(latchkey);
    const context = await browser.newContext();
    const tokenRequests = tokenRequestsOf(context);
    await context.clock.install();
    const first = await signedIn(context, app, person);
    tokenRequests();
    const second = await context.newPage();
    await second.goto(app.origin);
    await settled(second, 'signed-in');
    const tokens = () => Promise.all([first, second, first, second].map((page) => page.evaluate('auth.token()')));
    const [before] = await tokens();
    assert.equal(tokenRequests(), 0, 'the second tab has the session from the first');
    await context.clock.fastForward(20 * MINUTE);
    const renewed = await tokens();
    assert.equal(new Set(renewed).size, 1);
    assert.notEqual(renewed[0], before);
    assert.equal(tokenRequests(), 1);
  });

  test('have one session without Web Locks, too', async () => {
    const person = await register(latchkey);
    const context = await browser.newContext();
    const tokenRequests = tokenRequestsOf(context);
    await context.addInitScript(`Object.defineProperty(navigator, 'locks', { value: undefined })`);
    await context.clock.install();
    const first = await signedIn(context, app, person);
    const second = await context.newPage();
    await second.goto(app.origin);
    await settled(second, 'signed-in');
    tokenRequests();
    await context.clock.fastForward(20 * MINUTE);
    const renewed = await Promise.all([first, second].map((page) => page.evaluate('auth.token()')));
    assert.equal(new Set(renewed).size, 1);
    assert.equal(tokenRequests(), 1);
  });

  test('are signed out together, at Latchkey, too', async () => {
    const context = await browser.newContext();
    const first = await signedIn(context, app, await register(latchkey));
    const second = await context.newPage();
    await second.goto(app.origin);
    await settled(second, 'signed-in');
    await leaving(first, 'auth.signOut()');
    await settled(second, 'signed-out');
    assert.deepEqual(await inPage(second, 'auth.state'), { status: 'signed-out', reason: 'signed_out' });
    await settled(first, 'signed-out');
    assert.equal((await inPage(second, 'auth.token()')).failed, 'signed_out');
    await leaving(first, 'auth.signIn()');
    await first.locator('input[name=password]').waitFor();
  });

  test('are signed out of the application only, where that is asked for', async () => {
    const context = await browser.newContext();
    const page = await signedIn(context, app, await register(latchkey));
    const token = await page.evaluate('auth.token()');
    await page.evaluate(`auth.signOut({ only: 'application' })`);
    await settled(page, 'signed-out');
    const userinfo = await latchkey.auth('/connect/userinfo', { token: String(token) });
    assert.equal(userinfo.status, 401, 'the tokens are revoked');
    await leaving(page, 'auth.signIn()');
    await settled(page, 'signed-in');
  });
});

describe('clocks and connections', () => {
  for (const [name, skew] of [
    ['three hours fast', 180 * MINUTE],
    ['three hours slow', -180 * MINUTE],
  ] as const)
    test(`a clock that is ${name} changes nothing`, async () => {
      const context = await browser.newContext();
      const tokenRequests = tokenRequestsOf(context);
      await context.clock.install({ time: Date.now() + skew });
      const page = await signedIn(context, app, await register(latchkey));
      assert.equal(tokenRequests(), 1);
      await context.clock.fastForward(10 * MINUTE);
      await page.evaluate('auth.token()');
      assert.equal(tokenRequests(), 0, 'the token is good for 15 minutes');
      await context.clock.fastForward(6 * MINUTE);
      await page.evaluate('auth.token()');
      assert.equal(tokenRequests(), 1);
    });

  test('a lost connection keeps the session, gives no expired token, and is noticed when it is back', async () => {
    const context = await browser.newContext();
    await context.clock.install();
    const page = await signedIn(context, app, await register(latchkey));
    await context.setOffline(true);
    await context.clock.fastForward(20 * MINUTE);
    assert.equal((await inPage(page, 'auth.token()')).failed, 'offline');
    const { status, isOnline } = await inPage(page, 'auth.state');
    assert.deepEqual([status, isOnline], ['signed-in', false]);
    await context.setOffline(false);
    await page.locator('html[data-online="true"]').waitFor({ state: 'attached' });
    assert.equal(typeof (await page.evaluate('auth.token()')), 'string');
  });

  test('a session that ended at Latchkey ends here with the next token', async () => {
    const person = await register(latchkey);
    const context = await browser.newContext();
    await context.clock.install();
    const page = await signedIn(context, app, person);
    const { status } = await latchkey.auth('/v1/sessions/logout', {
      token: person.access_token,
      body: { everywhere: true },
    });
    assert.equal(status, 204);
    await context.clock.fastForward(20 * MINUTE);
    assert.equal((await inPage(page, 'auth.token()')).failed, 'signed_out');
    assert.deepEqual(await inPage(page, 'auth.state'), { status: 'signed-out', reason: 'ended' });
    await page.reload();
    await settled(page, 'signed-out');
  });
});
