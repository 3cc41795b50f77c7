import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, describe, type TestContext, test } from 'node:test';
import { eventually, register, startTestLatchkey, type TestLatchkey } from '../../../server/tests/harness.ts';
import { seal, unseal } from '../src/cookies.ts';
import type { Checks } from '../src/provider.ts';
import { addressWithin, settingsOf } from '../src/settings.ts';
import {
  type Application,
  applicationOf,
  enter,
  locationOf,
  ORIGIN,
  prove,
  sessionPartsOf,
  startApplication,
  visitorOf,
} from './application.ts';

let latchkey: TestLatchkey;
let app: Application;
before(async () => {
  latchkey = await startTestLatchkey();
  app = await startApplication(latchkey);
});
after(() => latchkey.stop());

const visitor = () => visitorOf(app, latchkey);
const FAILED = `${ORIGIN}/?error=sign_in_failed`;
const UNKNOWN = `${ORIGIN}/?error=unknown_sign_in`;

describe('a sign-in', () => {
  test('leads back to the page, and keeps the session in cookies that scripts and other sites cannot use', async () => {
    const person = await register(latchkey, { profile: { displayName: 'Ada' } });
    const browser = visitor();
    const response = await browser.call(await prove(browser, person, '/orders?page=2#last'));
    assert.equal(locationOf(response), `${ORIGIN}/orders?page=2#last`);
    const lines = response.headers.getSetCookie();
    for (const line of lines) assert.match(line, /; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+$/);
    assert.ok(lines.every((line) => line.length < 4_096));
    assert.deepEqual([...browser.cookies.keys()], ['latchkey-session.0'], 'the cookie of the sign-in is gone');
    const { user, refreshToken } = (await browser.session()) ?? {};
    assert.deepEqual([user?.sub, user?.email, user?.name], [person.session.userId, person.email, 'Ada']);
    assert.ok(refreshToken);
  });

  test('begins with the registration where the application asks for it', async () => {
    const left = await visitor().call('/auth/sign-up');
    assert.equal(new URL(locationOf(left)).searchParams.get('prompt'), 'create');
  });

  test('is finished only by the browser that began it, and once', async () => {
    const person = await register(latchkey);
    const [browser, other] = [visitor(), visitor()];
    const callback = await prove(browser, person);
    assert.equal(locationOf(await other.call(callback)), UNKNOWN);
    await other.call('/auth/sign-in');
    assert.equal(locationOf(await other.call(callback)), UNKNOWN, 'nor by one that began another');
    assert.deepEqual(sessionPartsOf(other.cookies), []);
    const copy = new Map(browser.cookies);
    await browser.call(callback);
    const session = await browser.session();
    assert.ok(session);
    assert.equal(locationOf(await browser.call(callback)), `${ORIGIN}/`);
    assert.deepEqual(await browser.session(), session);
    for (const [name, value] of copy) other.cookies.set(name, value);
    assert.equal(locationOf(await other.call(callback)), FAILED, 'nor with a copy of its cookies');
    assert.deepEqual(sessionPartsOf(other.cookies), []);
  });

  test('does not take the code, state or nonce of another sign-in', async () => {
    const person = await register(latchkey);
    const browser = visitor();
    const [one, two] = [await prove(browser, person), await prove(browser, person)];
    const mixed = new URL(one, ORIGIN);
    mixed.searchParams.set('code', new URL(two, ORIGIN).searchParams.get('code') ?? '');
    assert.equal(locationOf(await browser.call(mixed.pathname + mixed.search)), FAILED);
    const elsewhere = new URL(two, ORIGIN);
    elsewhere.searchParams.set('iss', 'https://evil.example');
    const [name = ''] = [...browser.cookies.keys()];
    const begun = await unseal<{ checks: Checks }>(app.settings, 'sign-in', browser.cookies.get(name) ?? '');
    assert.equal(locationOf(await browser.call(elsewhere.pathname + elsewhere.search)), FAILED);
    const three = await prove(browser, person);
    const [third = ''] = [...browser.cookies.keys()];
    const own = await unseal<{ checks: Checks }>(app.settings, 'sign-in', browser.cookies.get(third) ?? '');
    assert.ok(begun && own);
    const checks = { ...own.checks, expectedNonce: begun.checks.expectedNonce };
    browser.cookies.set(third, await seal(app.settings, 'sign-in', { ...own, checks }, 60));
    assert.equal(locationOf(await browser.call(three)), FAILED);
    assert.equal(await browser.session(), null);
  });

  test('that the person refuses tells the application so', async () => {
    const browser = visitor();
    const left = await browser.call('/auth/sign-in');
    const { searchParams } = new URL(locationOf(left));
    const refused = new URLSearchParams({ error: 'access_denied', state: searchParams.get('state') ?? '' });
    refused.set('iss', latchkey.system.config.addresses.test.auth);
    assert.equal(locationOf(await browser.call(`/auth/callback?${refused}`)), `${ORIGIN}/?error=access_denied`);
    assert.deepEqual([...browser.cookies], []);
  });

  test('goes on in several tabs at once, and forgotten ones do not fill the cookies', async () => {
    const person = await register(latchkey);
    const browser = visitor();
    const [first, second] = [await prove(browser, person, '/one'), await prove(browser, person, '/two')];
    assert.equal(locationOf(await browser.call(second)), `${ORIGIN}/two`);
    assert.equal(locationOf(await browser.call(first)), `${ORIGIN}/one`);
    const forgetful = visitor();
    for (const _ of Array(9)) {
      // biome-ignore lint/performance/noAwaitInLoops: one browser sends one after the other
      await forgetful.call('/auth/sign-in');
      assert.ok(forgetful.cookies.size <= 4);
    }
  });

  test('is begun by a visit, not by what a page fetches', async () => {
    const response = await visitor().call('/auth/sign-in', { headers: { 'sec-fetch-mode': 'cors' } });
    assert.deepEqual([response.status, response.headers.getSetCookie()], [401, []]);
  });

  test('leads to a path of this application only', async () => {
    const hostile = [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '/\t/evil.example',
      '\\\\evil.example',
      'javascript:alert(1)',
      '/auth/sign-in',
      '/auth/../auth/sign-in',
      'orders',
      '',
    ];
    for (const asked of hostile) assert.equal(addressWithin(app.settings, asked), `${ORIGIN}/`, asked);
    assert.equal(addressWithin(app.settings, '/.//evil.example'), `${ORIGIN}//evil.example`, 'still at this origin');
    assert.equal(addressWithin(app.settings, '/authors?by=//x'), `${ORIGIN}/authors?by=//x`);
    const browser = visitor();
    assert.equal(await enter(browser, await register(latchkey), '//evil.example'), `${ORIGIN}/`);
  });

  test('fails with a page of the application where Latchkey cannot be reached', async () => {
    const away = applicationOf({ ...app.options, issuer: 'http://localhost:65535' });
    const response = await away.handlers.GET(new Request(`${ORIGIN}/auth/sign-in`));
    assert.equal(locationOf(response), FAILED);
  });

  test('needs its settings, and a secret that is long enough', () => {
    assert.throws(() => settingsOf({ ...app.options, clientId: undefined }), /clientId/);
    assert.throws(() => settingsOf({ ...app.options, cookieSecret: 'short' }), /cookieSecret/);
  });
});

describe('signing out', () => {
  test('ends the session here and at Latchkey, and leads to the address of the settings', async () => {
    const person = await register(latchkey);
    const browser = visitor();
    await enter(browser, person);
    const copy = visitor();
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
    const headers = { origin: ORIGIN };
    const left = await browser.call('/auth/sign-out?returnTo=https://evil.example', { method: 'POST', headers });
    assert.deepEqual([...browser.cookies], []);
    const target = new URL(locationOf(left));
    assert.equal(target.origin, latchkey.system.config.addresses.test.auth);
    assert.equal(target.searchParams.get('post_logout_redirect_uri'), `${ORIGIN}/`);
    assert.ok(target.searchParams.get('id_token_hint'));
    assert.equal((await browser.latchkey.open(target.href)).url, `${ORIGIN}/`);
    await copy.age();
    await copy.page();
    assert.equal(await copy.session(), null, 'a copy of the cookie is of no use');
    const again = await browser.latchkey.open(locationOf(await browser.call('/auth/sign-in')));
    assert.match(again.text, /name="password"/);
  });

  test('is refused to other sites, and by a link', async () => {
    const browser = visitor();
    await enter(browser, await register(latchkey));
    const senders = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      {},
      { origin: ORIGIN, 'sec-fetch-site': 'cross-site' },
    ];
    const responses = await Promise.all(
      senders.map((headers) => browser.call('/auth/sign-out', { method: 'POST', headers })),
    );
    for (const { status, headers } of responses) assert.deepEqual([status, headers.getSetCookie()], [403, []]);
    assert.equal((await browser.call('/auth/sign-out')).status, 404);
    assert.ok(await browser.session());
  });
});

describe('a session that ends at Latchkey', () => {
  /** Where Latchkey sends logouts: on to the routes of the application, as Next.js would. */
  async function startReceiver(t: TestContext) {
    const received: { token: string; status: number }[] = [];
    let route: Application['handlers']['POST'] | undefined;
    const receiver = createServer(async (request, response) => {
      const body = await text(request);
      const sent = { method: 'POST', body, headers: { 'content-type': request.headers['content-type'] ?? '' } };
      const { status = 500 } = (await route?.(new Request(`${ORIGIN}/auth/backchannel-logout`, sent))) ?? {};
      received.push({ token: new URLSearchParams(body).get('logout_token') ?? '', status });
      response.writeHead(status).end();
    });
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    t.after(() => receiver.close());
    const backchannelLogoutUri = `http://127.0.0.1:${Object(receiver.address()).port}`;
    const own = await startApplication(latchkey, { backchannelLogoutUri });
    route = own.handlers.POST;
    return { own, received };
  }

  test('ends here at once, in every browser that has its cookie, and other sessions go on', async (t) => {
    const { own, received } = await startReceiver(t);
    const person = await register(latchkey);
    const [browser, copy, elsewhere] = [visitorOf(own, latchkey), visitorOf(own, latchkey), visitorOf(own, latchkey)];
    await enter(browser, person);
    await enter(elsewhere, await register(latchkey));
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
    const { idToken } = (await browser.session()) ?? {};
    const post = (logout_token: string, to = own) =>
      to.handlers.POST(
        new Request(`${ORIGIN}/auth/backchannel-logout`, {
          method: 'POST',
          body: new URLSearchParams({ logout_token }),
        }),
      );
    assert.equal((await post(idToken ?? '')).status, 400, 'an ID token ends nothing');
    await browser.page();
    assert.ok(await browser.session());
    await latchkey.auth('/v1/sessions/logout', { token: person.access_token, body: { everywhere: true } });
    await eventually(async () => assert.equal(received.length, 1));
    const [{ token, status } = { token: '', status: 0 }] = received;
    assert.equal(status, 200);
    for (const visitor of [browser, copy]) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      assert.deepEqual([...(await visitor.page())], []);
      assert.deepEqual([...visitor.cookies], []);
    }
    await elsewhere.page();
    assert.ok(await elsewhere.session());
    assert.equal((await post(token)).status, 400, 'a replay');
    assert.equal((await post(token, app)).status, 400, 'at another application');
    const away = applicationOf({ ...own.options, issuer: 'http://localhost:65535' });
    assert.equal((await post(token, away)).status, 503, 'Latchkey tries again');
    assert.equal((await own.handlers.GET(new Request(`${ORIGIN}/auth/backchannel-logout`))).status, 404);
    await enter(browser, person);
    await browser.page();
    assert.ok(await browser.session(), 'the person can sign in again');
  });

  test('reads no more of a body than a logout token has', async () => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 1_000;
        if (sent > 1_000_000) controller.close();
        else controller.enqueue(new Uint8Array(1_000));
      },
    });
    const init = { method: 'POST', body, duplex: 'half' } as const;
    assert.equal((await app.handlers.POST(new Request(`${ORIGIN}/auth/backchannel-logout`, init))).status, 400);
    assert.ok(sent < 50_000, `${sent} bytes`);
  });
});
