import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createApplication } from '#applications';
import { visitorOf } from '#tests/account.ts';
import { type Employer, LINKS, type Person, REDIRECT, startEmployer } from '#tests/at-provider.ts';
import {
  expectProblem,
  mailedToken,
  PASSWORD,
  PKCE,
  prove,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { browserOf, codeFlow } from '#tests/oidc.ts';

let latchkey: TestLatchkey;
let employer: Employer;
let auth: string;
before(async () => {
  latchkey = await startTestLatchkey();
  employer = await startEmployer(latchkey);
  auth = latchkey.system.config.addresses.test.auth;
});
after(() => Promise.all([latchkey.stop(), employer.stop()]));

/** What an attacker gets who has an account at a provider with the victim's address. */
async function linkTokenFor(victim: Person): Promise<string> {
  const claims = { sub: crypto.randomUUID(), email: victim.email, email_verified: true };
  const asked = await employer.exchange(await employer.visit(browserOf(latchkey), employer.start(), claims));
  assert.equal(asked.body.status, 'link_required', asked.text);
  return asked.body.linkToken;
}

/** The code of a linking that a signed-in person started. */
async function begunBy(person: Person): Promise<string> {
  const claims = { sub: crypto.randomUUID(), email: 'somebody@employer.example' };
  return employer.visit(browserOf(latchkey), await employer.beginLinking(person), claims);
}

describe('linking an account at a provider', () => {
  test('a link that a signed-in person is lured to links nothing, whatever code it contains', async () => {
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
    assert.deepEqual(await employer.links(victim), []);
  });

  test('a page of an application that forwards the code in its address links nothing that its visitor did not start', async () => {
    const victim = await prove(latchkey, await register(latchkey));
    const attacker = await register(latchkey);
    const token = victim.access_token;
    const codes = [await linkTokenFor(victim), await begunBy(attacker)];
    for (const code of codes) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      expectProblem(await latchkey.api(LINKS, { token, body: { code } }), 400, 'INVALID_TOKEN');
    }
    assert.deepEqual(await employer.links(victim), []);
  });

  test('a linking works in the session that started it, and in no other session of the same person', async () => {
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

  test('the account page shows what would be linked, and links only when its button is pressed', async () => {
    const { browser, page, person } = await visitorOf(latchkey, '/security');
    const there = await browser.submit(page, { provider: 'employer' }, '/account/link');
    assert.ok(there.url.startsWith(employer.upstream.issuer), there.url);
    employer.upstream.claims = { sub: crypto.randomUUID(), email: 'somebody@employer.example' };
    const callback = `${auth}/v1/auth/login/social/employer/callback?${new URLSearchParams(employer.upstream.approve(there.url))}`;
    const asked = await browser.open(callback);
    assert.match(
      asked.text,
      new RegExp(`Link the Employer account somebody@employer.example to your account ${person.email}`),
    );
    assert.deepEqual(await employer.links(person), []);
    const done = await browser.submit(asked, {}, '/account/linked');
    assert.ok(done.url.endsWith('/account/security'), done.url);
    const { body } = await latchkey.auth('/v1/auth/login/password', {
      body: { identifier: person.email, password: PASSWORD },
    });
    assert.equal((await employer.links(body)).length, 1);
  });

  test('a sign-in that proves an account links it only with a button that names both accounts, not by signing in', async () => {
    const victim = await prove(latchkey, await register(latchkey));
    const flow = await codeFlow(latchkey);
    const browser = browserOf(latchkey);
    const start = await browser.open(flow.url);
    const there = await browser.open(`${start.url}/provider/dev`);
    const asked = await browser.submit(there, { email: victim.email, name: 'Mallory', verified: 'yes' });
    const proven = await browser.submit(asked, { identifier: victim.email, password: PASSWORD });
    assert.match(proven.text, new RegExp(`Link the Dev provider account ${victim.email} to your account`));
    assert.deepEqual(await employer.links(victim), []);
    const back = await browser.submit(proven, { decision: 'skip' });
    assert.equal((await flow.finish(back)).claims()?.sub, victim.session.userId);
    assert.deepEqual(await employer.links(victim), []);
  });
});

describe('a code from a provider or a mailed link', () => {
  test('works only with the verifier of the browser that started the flow', async () => {
    const code = await employer.fresh();
    expectProblem(await employer.exchange(code, { codeVerifier: 'w'.repeat(43) }), 400, 'INVALID_TOKEN');
    const bare = { body: { code, clientId: employer.clientId } };
    expectProblem(await latchkey.auth('/v1/auth/login/social/exchange', bare), 400, 'INVALID_TOKEN');
    assert.equal((await employer.exchange(code)).status, 200);
  });

  test('works only for the application that started the flow', async () => {
    const other = await latchkey.inProject((tx) =>
      createApplication(tx, { kind: 'spa', name: 'Other', redirectUris: [REDIRECT] }),
    );
    const code = await employer.fresh();
    expectProblem(await employer.exchange(code, { clientId: other.clientId }), 400, 'INVALID_TOKEN');
    assert.equal((await employer.exchange(code, { clientId: employer.clientId })).status, 200);
  });

  test('a public client cannot start without a challenge; a confidential client authenticates instead', async () => {
    expectProblem(await latchkey.auth(employer.start({ clientId: employer.clientId })), 400, 'VALIDATION_FAILED');
    const shop = await latchkey.inProject((tx) =>
      createApplication(tx, { kind: 'web', name: 'Shop on a server', redirectUris: [REDIRECT] }),
    );
    const path = employer.start({ clientId: shop.clientId });
    const code = await employer.visit(browserOf(latchkey), path, { sub: crypto.randomUUID() });
    const shown = (more: Record<string, string>) =>
      latchkey.auth('/v1/auth/login/social/exchange', { body: { code, ...more } });
    expectProblem(await shown({}), 400, 'INVALID_TOKEN');
    expectProblem(await shown({ clientId: employer.clientId }), 400, 'INVALID_TOKEN');
    assert.equal((await shown({ clientId: shop.clientId })).status, 200);
  });

  test('a mailed link with a challenge results in a code for the browser that requested it', async () => {
    const { email } = await prove(latchkey, await register(latchkey));
    const body = { email, clientId: employer.clientId, redirectUri: REDIRECT, codeChallenge: PKCE.codeChallenge };
    assert.equal((await latchkey.auth('/v1/auth/login/magic-link', { body })).status, 202);
    const form = new URLSearchParams({ token: await mailedToken(latchkey, email) });
    const clicked = await latchkey.auth('/link/sign-in', { body: form, headers: { origin: auth } });
    const code = new URL(clicked.headers.get('location') ?? '').searchParams.get('code');
    expectProblem(await employer.exchange(code, { codeVerifier: 'w'.repeat(43) }), 400, 'INVALID_TOKEN');
    assert.equal((await employer.exchange(code)).status, 200);
  });

  test('a code that another page injects into a sign-in signs nobody in as someone else', async () => {
    const flow = await codeFlow(latchkey);
    const victim = browserOf(latchkey);
    const start = await victim.open(flow.url);
    const codes = [await employer.fresh(), await employer.fresh()];
    for (const code of codes) {
      // biome-ignore lint/performance/noAwaitInLoops: one browser
      const page = await victim.open(`${start.url}/return?code=${code}`);
      assert.ok(page.url.startsWith(start.url) && page.status === 400, `${page.url} ${page.text}`);
    }
  });

  test('the mailed link of a sign-in on the pages continues in the browser that requested it, and is not spent in another', async () => {
    const { email, session } = await prove(latchkey, await register(latchkey));
    const flow = await codeFlow(latchkey);
    const browser = browserOf(latchkey);
    await browser.submit(await browser.open(flow.url), { address: email, way: 'magic_link' }, '/send');
    const link = `${auth}/link/sign-in?token=${await mailedToken(latchkey, email)}`;
    const elsewhere = await browserOf(latchkey).open(link);
    assert.match(elsewhere.text, /started in another browser/);
    assert.ok(!elsewhere.text.includes('<form'), elsewhere.text);
    const forced = new URLSearchParams({ token: new URL(link).searchParams.get('token') ?? '' });
    const pressed = await fetch(`${auth}/link/sign-in`, { method: 'POST', body: forced, headers: { origin: auth } });
    assert.match(await pressed.text(), /started in another browser/);
    const back = await browser.submit(await browser.open(link), {}, '/link/sign-in');
    assert.equal((await flow.finish(back)).claims()?.sub, session.userId);
  });

  test('a click by another person never signs in the browser that requested the link', async () => {
    const victim = await register(latchkey);
    const asked = await latchkey.auth('/v1/auth/login/magic-link', { body: { email: victim.email } });
    const form = new URLSearchParams({ token: await mailedToken(latchkey, victim.email) });
    assert.equal((await latchkey.auth('/link/sign-in', { body: form, headers: { origin: auth } })).status, 200);
    const { flowId } = asked.body;
    for (const code of ['00000000', '12345678']) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential guesses
      const attacker = await latchkey.auth('/v1/auth/login/magic-link/verify', { body: { flowId, code } });
      expectProblem(attacker, 401, 'INVALID_CODE');
    }
  });
});
