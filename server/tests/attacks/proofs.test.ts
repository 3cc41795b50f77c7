import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createProvider } from '#applications';
import { visitorOf } from '#tests/account.ts';
import {
  type Answer,
  expectProblem,
  PASSWORD,
  prove,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { type Issuer, startIssuer } from '#tests/issuer.ts';
import { type Browser, browserOf, codeFlow } from '#tests/oidc.ts';

const REDIRECT = 'http://localhost:5173/callback';
const LINKS = '/v1/me/linked-identities';

let latchkey: TestLatchkey;
let upstream: Issuer;
let auth: string;
before(async () => {
  [latchkey, upstream] = await Promise.all([startTestLatchkey(), startIssuer()]);
  auth = latchkey.system.config.addresses.test.auth;
  await latchkey.inProject((tx) =>
    createProvider(tx, {
      preset: 'oidc',
      key: 'work',
      name: 'Work',
      clientId: 'shop',
      clientSecret: 'secret',
      options: { issuer: upstream.issuer },
    }),
  );
});
after(() => Promise.all([latchkey.stop(), upstream.stop()]));

type Person = Awaited<ReturnType<typeof register>>;
type Claims = Issuer['claims'];

const clientId = () => latchkey.demo.environments.test.clientId;
const exchange = (code: string | null, more: Record<string, unknown> = {}) =>
  latchkey.auth('/v1/auth/login/social/exchange', { body: { code, ...more } });

/** Goes to the provider and comes back, in one browser. @returns the code at the redirect address */
async function visit(browser: Browser, url: string, claims: Claims): Promise<string> {
  upstream.claims = claims;
  const there = await browser.open(new URL(url, auth).href);
  assert.ok(there.url.startsWith(upstream.issuer), `${there.url} ${there.text}`);
  const path = new URL(url, auth).pathname.replace(/start$/, 'callback');
  const back = await browser.open(`${auth}${path}?${new URLSearchParams(upstream.approve(there.url))}`);
  const code = new URL(back.url).searchParams.get('code');
  assert.ok(code, `${back.url} ${back.text}`);
  return code;
}

const startPath = (more: Record<string, string> = {}) =>
  `/v1/auth/login/social/work/start?${new URLSearchParams({ clientId: clientId(), redirectUri: REDIRECT, ...more })}`;

const linksOf = async ({ access_token: token }: Pick<Person, 'access_token'>): Promise<unknown[]> =>
  (await latchkey.api(LINKS, { token })).body.items;

/** What an attacker gets who has an account at a provider with the victim's address. */
async function linkTokenFor(victim: Person): Promise<string> {
  const claims = { sub: crypto.randomUUID(), email: victim.email, email_verified: true };
  const asked = await exchange(await visit(browserOf(latchkey), startPath(), claims));
  assert.equal(asked.body.status, 'link_required', asked.text);
  return asked.body.linkToken;
}

/** The code of a linking that a signed-in person began. */
async function begunBy(person: Pick<Person, 'access_token'>, browser = browserOf(latchkey)): Promise<string> {
  const begun: Answer = await latchkey.api(LINKS, {
    token: person.access_token,
    body: { provider: 'work', clientId: clientId(), redirectUri: REDIRECT },
  });
  assert.equal(begun.status, 200, begun.text);
  return visit(browser, begun.body.url, { sub: crypto.randomUUID(), email: 'somebody@work.example' });
}

describe('linking an account at a provider', () => {
  test('a link that a signed-in person is lured to links nothing, whosever code it carries', async () => {
    const victim = await prove(latchkey, await register(latchkey));
    const attacker = await register(latchkey);
    const { browser } = await visitorOf(latchkey, '/security', victim);
    const codes = [await linkTokenFor(victim), await begunBy(attacker)];
    for (const code of codes) {
      // biome-ignore lint/performance/noAwaitInLoops: one browser
      const page = await browser.open(`${auth}/account/linked?code=${code}`);
      assert.ok(page.url.endsWith('/account/security'), page.url);
      assert.match(page.text, /role="alert"/);
    }
    assert.deepEqual(await linksOf(victim), []);
  });

  test('a page of an application that passes on the code of its address links nothing that its visitor did not begin', async () => {
    const victim = await prove(latchkey, await register(latchkey));
    const attacker = await register(latchkey);
    const token = victim.access_token;
    const codes = [await linkTokenFor(victim), await begunBy(attacker)];
    for (const code of codes) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      expectProblem(await latchkey.api(LINKS, { token, body: { code } }), 400, 'INVALID_TOKEN');
    }
    assert.deepEqual(await linksOf(victim), []);
  });

  test('a linking works in the session that began it, and in no other of the same person', async () => {
    const person = await register(latchkey);
    const other = await latchkey.auth('/v1/auth/login/password', {
      body: { identifier: person.email, password: PASSWORD },
    });
    const code = await begunBy(person);
    const elsewhere = await latchkey.api(LINKS, { token: other.body.access_token, body: { code } });
    expectProblem(elsewhere, 400, 'INVALID_TOKEN');
    const again = await begunBy(person);
    assert.equal((await latchkey.api(LINKS, { token: person.access_token, body: { code: again } })).status, 201);
  });

  test('the account page shows what would be linked, and links with its button only', async () => {
    const { browser, page, person } = await visitorOf(latchkey, '/security');
    const there = await browser.submit(page, { provider: 'work' }, '/account/link');
    assert.ok(there.url.startsWith(upstream.issuer), there.url);
    upstream.claims = { sub: crypto.randomUUID(), email: 'somebody@work.example' };
    const callback = `${auth}/v1/auth/login/social/work/callback?${new URLSearchParams(upstream.approve(there.url))}`;
    const asked = await browser.open(callback);
    assert.match(asked.text, new RegExp(`Link the Work account somebody@work.example to your account ${person.email}`));
    assert.deepEqual(await linksOf(person), []);
    const done = await browser.submit(asked, {}, '/account/linked');
    assert.ok(done.url.endsWith('/account/security'), done.url);
    assert.equal((await linksOf(person)).length, 1);
  });

  test('a sign-in that was to prove an account links with a button that names both accounts, not by signing in', async () => {
    const victim = await prove(latchkey, await register(latchkey));
    const flow = await codeFlow(latchkey);
    const browser = browserOf(latchkey);
    const start = await browser.open(flow.url);
    const there = await browser.open(`${start.url}/provider/dev`);
    const asked = await browser.submit(there, { email: victim.email, name: 'Mallory', verified: 'yes' });
    const proven = await browser.submit(asked, { identifier: victim.email, password: PASSWORD });
    assert.match(proven.text, new RegExp(`Link the Dev provider account ${victim.email} to your account`));
    assert.deepEqual(await linksOf(victim), []);
    const back = await browser.submit(proven, { decision: 'skip' });
    assert.equal((await flow.finish(back)).claims()?.sub, victim.session.userId);
    assert.deepEqual(await linksOf(victim), []);
  });
});
