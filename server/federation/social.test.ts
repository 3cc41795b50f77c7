import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createApplication } from '#applications';
import { createProvider } from '#identity-providers';
import { type GitHub, startGitHub } from '#tests/github.ts';
import {
  eventsOf,
  expectProblem,
  lastMessage,
  newEmail,
  PASSWORD,
  PKCE,
  prove,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { type Browser, browserOf } from '#tests/oidc.ts';

const REDIRECT = 'http://localhost:5173/callback';
const START = '/v1/auth/login/social';

let latchkey: TestLatchkey;
let partner: TestLatchkey;
let github: GitHub;
before(async () => {
  [latchkey, partner, github] = await Promise.all([
    startTestLatchkey(),
    startTestLatchkey({ own: 'the identity provider is another installation' }),
    startGitHub(),
  ]);
  const { auth } = latchkey.system.config.addresses.test;
  const { clientId, secret } = await partner.inProject((tx) =>
    createApplication(tx, { kind: 'web', name: 'The shop', redirectUris: [`${auth}${START}/partner/callback`] }),
  );
  await latchkey.inProject(async (tx) => {
    await createProvider(tx, {
      key: 'partner',
      preset: 'oidc',
      name: 'Partner',
      clientId,
      clientSecret: secret ?? '',
      options: { issuer: partner.system.config.addresses.test.auth },
    });
    await createProvider(tx, {
      key: 'github',
      preset: 'github',
      name: 'GitHub',
      clientId: 'github-client',
      clientSecret: 'github-secret',
      options: github.options,
    });
  });
});
after(() => Promise.all([latchkey.stop(), partner.stop(), github.stop()]));

function startUrl(provider: string, parameters: Record<string, string> = {}): string {
  const query = new URLSearchParams({
    clientId: latchkey.demo.environments.test.clientId,
    redirectUri: REDIRECT,
    state: 'my state',
    codeChallenge: PKCE.codeChallenge,
    ...parameters,
  });
  return `${latchkey.system.config.addresses.test.auth}${START}/${provider}/start?${query}`;
}

function returned(url: string): Record<string, string> {
  assert.ok(url.startsWith(REDIRECT), url);
  return Object.fromEntries(new URL(url).searchParams);
}

const exchange = (code: string | undefined, extra: Record<string, unknown> = {}) =>
  latchkey.auth(`${START}/exchange`, { body: { code, codeVerifier: PKCE.codeVerifier, ...extra } });

/** Signs a new person in at the other installation, as part of a sign-in here. */
async function viaPartner(browser: Browser, person?: { email: string }, parameters: Record<string, string> = {}) {
  const { email } = person ?? (await register(partner, { profile: { displayName: 'Grace Hopper' } }));
  const page = await browser.open(startUrl('partner', parameters));
  const back = await browser.submit(page, { identifier: email, password: PASSWORD });
  return { email, response: returned(back.url) };
}

describe('signing in with another Latchkey', () => {
  test('an unknown person becomes a customer, identified by issuer and subject', async () => {
    const { response } = await viaPartner(browserOf(latchkey, partner));
    assert.equal(response['state'], 'my state');
    const signedIn = await exchange(response['code']);
    assert.equal(signedIn.status, 200, signedIn.text);
    assert.deepEqual(signedIn.body.session.amr, ['fed']);
    const token = signedIn.body.access_token;
    const { body } = await latchkey.api('/v1/me/linked-identities', { token });
    assert.equal(body.items[0].issuer, partner.system.config.addresses.test.auth);
    assert.match(body.items[0].subject, /^usr_/);
    const { body: profile } = await latchkey.api('/v1/me/profile', { token });
    assert.equal(profile.displayName, 'Grace Hopper');
    expectProblem(await exchange(response['code']), 400, 'INVALID_TOKEN');
  });

  test('AU-8 a returning person is recognised, whatever their address is now', async () => {
    const person = await register(partner);
    const first = await viaPartner(browserOf(latchkey, partner), person);
    const { userId } = (await exchange(first.response['code'])).body.session;
    const moved = newEmail();
    await partner.system.pool.query('update identifiers set value = $1 where value = $2', [moved, person.email]);
    const second = await viaPartner(browserOf(latchkey, partner), { email: moved });
    assert.equal((await exchange(second.response['code'])).body.session.userId, userId);
  });

  test('a code is bound to the verifier of its flow', async () => {
    const verifier = 'v'.repeat(43);
    const { createHash } = await import('node:crypto');
    const codeChallenge = createHash('sha256').update(verifier).digest('base64url');
    const { response } = await viaPartner(browserOf(latchkey, partner), undefined, { codeChallenge });
    expectProblem(await exchange(response['code'], { codeVerifier: 'w'.repeat(43) }), 400, 'INVALID_TOKEN');
    const again = await viaPartner(browserOf(latchkey, partner), undefined, { codeChallenge });
    assert.equal((await exchange(again.response['code'], { codeVerifier: verifier })).status, 200);
  });

  test('only one of twenty parallel exchanges of a code succeeds', async () => {
    const { response } = await viaPartner(browserOf(latchkey, partner));
    const responses = await Promise.all(Array.from({ length: 20 }, () => exchange(response['code'])));
    assert.equal(responses.filter(({ status }) => status === 200).length, 1);
  });

  test('AU-8 a verified address that has an account requires a proof of the account before linking', async () => {
    const email = newEmail();
    const owner = await prove(latchkey, await register(latchkey, { email }));
    await register(partner, { email });
    await partner.system.pool.query('update identifiers set verified_at = now() where value = $1', [email]);
    const { response } = await viaPartner(browserOf(latchkey, partner), { email });
    const asked = await exchange(response['code']);
    assert.equal(asked.body.status, 'link_required', asked.text);
    assert.ok(!asked.text.includes('access_token'));
    const stranger = await register(latchkey);
    const link = (token: string) =>
      latchkey.api('/v1/me/linked-identities', { token, body: { linkToken: asked.body.linkToken } });
    expectProblem(await link(stranger.access_token), 400, 'INVALID_TOKEN');
    const linked = await link(owner.access_token);
    assert.equal(linked.status, 201, linked.text);
    assert.match((await lastMessage(latchkey, email)).text, /Partner|account of another provider|sign-in/i);
    const third = await exchange((await viaPartner(browserOf(latchkey, partner), { email })).response['code']);
    assert.equal(third.body.session.userId, owner.session.userId);
    assert.ok((await eventsOf(latchkey, owner.session.userId)).includes('identity.linked'));
  });

  test('AU-8 an unverified address never links, and is not taken over', async () => {
    const email = newEmail();
    const owner = await register(latchkey, { email });
    await register(partner, { email });
    const { response } = await viaPartner(browserOf(latchkey, partner), { email });
    const signedIn = await exchange(response['code']);
    assert.notEqual(signedIn.body.session.userId, owner.session.userId);
    const { body } = await latchkey.api('/v1/me/profile', { token: signedIn.body.access_token });
    assert.equal(body.email, null);
  });

  test('a signed-in person links an identity, and can unlink it unless it is the last sign-in method', async () => {
    const person = await register(latchkey);
    const token = person.access_token;
    const begun = await latchkey.api('/v1/me/linked-identities', {
      token,
      body: { provider: 'partner', clientId: latchkey.demo.environments.test.clientId, redirectUri: REDIRECT },
    });
    assert.equal(begun.status, 200, begun.text);
    const browser = browserOf(latchkey, partner);
    const other = await register(partner);
    const page = await browser.open(begun.body.url);
    const back = await browser.submit(page, { identifier: other.email, password: PASSWORD });
    const linked = await latchkey.api('/v1/me/linked-identities', {
      token,
      body: { code: returned(back.url)['code'] },
    });
    assert.equal(linked.status, 201, linked.text);
    const path = `/v1/me/linked-identities/${linked.body.id}`;
    assert.equal((await latchkey.api(path, { token, method: 'DELETE' })).status, 204);
    const { response } = await viaPartner(browserOf(latchkey, partner));
    const only = (await exchange(response['code'])).body.access_token;
    const { body } = await latchkey.api('/v1/me/linked-identities', { token: only });
    const last = await latchkey.api(`/v1/me/linked-identities/${body.items[0].id}`, { token: only, method: 'DELETE' });
    expectProblem(last, 409, 'LAST_SIGN_IN_METHOD');
  });

  test('a cancellation at the provider is reported to the application with its state', async () => {
    const browser = browserOf(latchkey, partner);
    const page = await browser.open(startUrl('partner'));
    const back = await browser.submit(page, {}, '/cancel');
    const { error, state } = returned(back.url);
    assert.deepEqual([error, state], ['access_denied', 'my state']);
  });

  test('an unregistered redirect address or an unknown provider leads nowhere', async () => {
    const path = (url: string) => url.slice(new URL(url).origin.length);
    const wrong = await latchkey.auth(path(startUrl('partner', { redirectUri: 'https://evil.example/' })));
    expectProblem(wrong, 400, 'VALIDATION_FAILED');
    expectProblem(await latchkey.auth(path(startUrl('nobody'))), 404, 'NOT_FOUND');
  });
});

describe('coming back from a provider', () => {
  /** The callback address with a genuine response, not yet visited. */
  async function genuine(browser: Browser): Promise<URL> {
    const person = await register(partner);
    const outside = browserOf(partner);
    const start = await latchkey.auth(startUrl('partner').slice(latchkey.system.config.addresses.test.auth.length));
    for (const line of start.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      browser.cookies.set(START, new Map([[pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]]));
    }
    const page = await outside.open(start.headers.get('location') ?? '');
    const back = await outside.submit(page, { identifier: person.email, password: PASSWORD });
    return new URL(back.url);
  }

  test('works once, in the browser that started, with its state', async () => {
    const browser = browserOf(latchkey);
    const callback = await genuine(browser);
    const stranger = await browserOf(latchkey).open(callback.href);
    assert.equal(stranger.status, 400);
    const second = await genuine(browser);
    const forged = new URL(second);
    forged.searchParams.set('state', `${forged.searchParams.get('state')}x`);
    assert.equal((await browser.open(forged.href)).status, 400);
    assert.ok(returned((await browser.open(second.href)).url)['code']);
    assert.equal((await browser.open(second.href)).status, 400);
  });

  test('mix-up: a response of another provider, or with another issuer’s name, is refused', async () => {
    const browser = browserOf(latchkey);
    const elsewhere = await genuine(browser);
    elsewhere.pathname = elsewhere.pathname.replace('/partner/', '/github/');
    assert.equal((await browser.open(elsewhere.href)).status, 400);
    const named = await genuine(browser);
    named.searchParams.set('iss', 'https://evil.example');
    assert.equal(returned((await browser.open(named.href)).url)['error'], 'server_error');
  });

  test('a code of another person’s sign-in is refused, because its verifier differs', async () => {
    const browser = browserOf(latchkey);
    const [first, second] = [await genuine(browserOf(latchkey)), await genuine(browser)];
    second.searchParams.set('code', first.searchParams.get('code') ?? '');
    assert.equal(returned((await browser.open(second.href)).url)['error'], 'server_error');
  });

  test('a response in a posted form is redirected to a GET, to which the browser adds its cookie', async () => {
    const browser = browserOf(latchkey);
    const callback = await genuine(browser);
    const response = await latchkey.auth(callback.pathname, { body: new URLSearchParams(callback.search) });
    assert.equal(response.status, 303);
    const back = await browser.open(new URL(response.headers.get('location') ?? '', callback).href);
    assert.ok(returned(back.url)['code']);
  });
});

describe('signing in with GitHub, which supports only OAuth', () => {
  test('account and address come from its API; the account is identified by its number', async () => {
    github.person = {
      id: 4711,
      login: 'ada',
      name: 'Ada',
      emails: [{ email: newEmail(), primary: true, verified: true }],
    };
    const back = await browserOf(latchkey).open(await github.visit(startUrl('github')));
    const signedIn = await exchange(returned(back.url)['code']);
    assert.equal(signedIn.status, 200, signedIn.text);
    const { body } = await latchkey.api('/v1/me/linked-identities', { token: signedIn.body.access_token });
    assert.equal(body.items[0].subject, '4711');
    const { body: profile } = await latchkey.api('/v1/me/profile', { token: signedIn.body.access_token });
    assert.equal(profile.email, github.person.emails[0]?.email);
    assert.deepEqual(github.seen.at(-1), { client: 'github-client', secret: 'github-secret', verifier: true });
  });

  test('AU-8 only its primary address counts, and only if it is verified; other addresses of the account do not', async () => {
    const [primary, other] = [newEmail(), newEmail()];
    const addressOf = async (id: number, verified: boolean) => {
      github.person = {
        id,
        login: 'ada',
        name: 'Ada',
        emails: [
          { email: other, primary: false, verified: true },
          { email: primary, primary: true, verified },
        ],
      };
      const back = await browserOf(latchkey).open(await github.visit(startUrl('github')));
      const { body, text } = await exchange(returned(back.url)['code']);
      assert.ok(body.access_token, text);
      return (await latchkey.api('/v1/me/profile', { token: body.access_token })).body.email;
    };
    assert.equal(await addressOf(4712, false), null);
    assert.equal(await addressOf(4713, true), primary);
  });

  test('errors that it sends with status 200, and errors of its API, reach the application', async () => {
    for (const fault of ['bad_verification_code', 'incorrect_client_credentials', 'api down', 'no user'] as const) {
      github.fault = fault;
      // biome-ignore lint/performance/noAwaitInLoops: one fault after the other
      const back = await browserOf(latchkey).open(await github.visit(startUrl('github')));
      assert.equal(returned(back.url)['error'], 'server_error', fault);
    }
    github.fault = null;
  });
});

describe('the development provider', () => {
  test('signs in any identity that a visitor enters', async () => {
    const browser = browserOf(latchkey);
    const page = await browser.open(startUrl('dev'));
    const email = newEmail();
    const back = await browser.submit(page, { email, name: 'Anybody', verified: 'yes' });
    const signedIn = await exchange(returned(back.url)['code']);
    assert.equal(signedIn.status, 200, signedIn.text);
    assert.ok(signedIn.body.session.userId);
  });
});
