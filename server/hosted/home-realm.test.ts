import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newApplication } from '#tests/apis.ts';
import { type Company, newCompany } from '#tests/connections.ts';
import { newEmail, PASSWORD, prove, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { type Issuer, startIssuer } from '#tests/issuer.ts';
import { type Browser, browserOf, codeFlow, userInfoOf } from '#tests/oidc.ts';

let latchkey: TestLatchkey;
let upstream: Issuer;
let own: { clientId: string; secret: string };
before(async () => {
  [latchkey, upstream] = await Promise.all([startTestLatchkey(), startIssuer()]);
  const { clientId, secret } = await newApplication(latchkey, {});
  own = { clientId, secret: secret ?? '' };
});
after(() => Promise.all([latchkey.stop(), upstream.stop()]));

async function openCompany(more: Record<string, unknown> = {}): Promise<Company> {
  const company = await newCompany(latchkey, { issuer: upstream.issuer });
  await company.change({ status: 'enabled', justInTime: true, ...more });
  return company;
}

const flowFor = (asked: Record<string, string> = {}) =>
  codeFlow(latchkey, { scope: 'openid organization', ...asked }, own);

/** Signs in at the identity provider that the browser was sent to, and returns to the application. */
async function approve(browser: Browser, page: { url: string; text: string }, claims: Issuer['claims'], to: Company) {
  assert.ok(page.url.startsWith(upstream.issuer), `${page.url} ${page.text}`);
  upstream.claims = claims;
  const { auth } = latchkey.system.config.addresses.test;
  const parameters = new URLSearchParams(upstream.approve(page.url));
  return browser.open(`${auth}/v1/auth/login/connections/${to.connectionId}/callback?${parameters}`);
}

describe('the sign-in page', () => {
  test('sends an address at the domain of a company to its connection, and the tokens name the organization', async () => {
    const company = await openCompany();
    const email = company.newEmail();
    const flow = await flowFor();
    const browser = browserOf(latchkey);
    const first = await browser.open(flow.url);
    assert.ok(!first.text.includes('type="password"'), 'the address is asked for first');
    const there = await browser.submit(first, { identifier: email });
    assert.equal(new URL(there.url).searchParams.get('login_hint'), email);
    const end = await approve(browser, there, { sub: crypto.randomUUID(), email }, company);
    const tokens = await flow.finish(end);
    assert.equal((await userInfoOf(flow, tokens))['org_id'], company.organizationId);
  });

  test('goes the same way whether the address has an account or not, and asks others for their password', async () => {
    const company = await openCompany();
    const known = company.newEmail();
    await prove(latchkey, await register(latchkey, { email: known }));
    for (const email of [known, company.newEmail()]) {
      const browser = browserOf(latchkey);
      // biome-ignore lint/performance/noAwaitInLoops: one browser after the other
      const there = await browser.submit(await browser.open((await flowFor()).url), { identifier: email });
      assert.ok(there.url.startsWith(upstream.issuer), there.url);
    }
    const guest = await prove(latchkey, await register(latchkey));
    const flow = await flowFor();
    const browser = browserOf(latchkey);
    const password = await browser.submit(await browser.open(flow.url), { identifier: guest.email });
    assert.match(password.url, /\/password$/);
    const end = await browser.submit(password, { password: PASSWORD });
    assert.ok((await flow.finish(end)).access_token);
  });

  test('asks nothing where the request has a login hint or names the organization', async () => {
    const company = await openCompany();
    const hints: Record<string, string>[] = [
      { login_hint: company.newEmail() },
      { organization: company.organizationId },
    ];
    for (const asked of hints) {
      // biome-ignore lint/performance/noAwaitInLoops: one browser after the other
      const flow = await flowFor(asked);
      const browser = browserOf(latchkey);
      const there = await browser.open(flow.url);
      const end = await approve(browser, there, { sub: crypto.randomUUID(), email: company.newEmail() }, company);
      const tokens = await flow.finish(end);
      assert.equal((await userInfoOf(flow, tokens))['org_id'], company.organizationId);
    }
  });

  test('lets a person whom the provider refused choose another way', async () => {
    const company = await openCompany();
    const browser = browserOf(latchkey);
    const there = await browser.open((await flowFor({ login_hint: company.newEmail() })).url);
    const { auth } = latchkey.system.config.addresses.test;
    const { code: _code, ...parameters } = upstream.approve(there.url);
    const query = new URLSearchParams({ ...parameters, error: 'access_denied' });
    const back = await browser.open(`${auth}/v1/auth/login/connections/${company.connectionId}/callback?${query}`);
    assert.equal(back.status, 400, back.text);
    assert.match(back.url, /\/sign-in\//);
    const again = await browser.open(back.url);
    assert.equal(again.status, 200, 'the page does not send the browser away once more');
  });

  test('starts no connection of another organization than the request names', async () => {
    const [mine, theirs] = [await openCompany(), await openCompany()];
    const browser = browserOf(latchkey);
    const flow = await flowFor({ organization: mine.organizationId, login_hint: newEmail() });
    const page = await browser.open(flow.url);
    assert.match(page.url, /\/sign-in\//);
    const other = await browser.open(`${page.url}/connection/${theirs.connectionId}`);
    assert.equal(other.status, 400);
    assert.match(other.url, /\/sign-in\/[^/]+$/);
  });

  test('shows only the ways in that the organization of the request allows', async () => {
    const company = await openCompany({ status: 'disabled' });
    await company.call('/policy', 'PATCH', { signInMethods: ['passkey'] });
    const shown = async (asked: Record<string, string>) =>
      (await browserOf(latchkey).open((await flowFor(asked)).url)).text;
    assert.match(await shown({}), /name="way"/);
    const text = await shown({ organization: company.organizationId });
    assert.ok(!text.includes('name="way"') && text.includes('data-passkey'), text);
  });

  test('sends a person to a required connection who signed in with a password', async () => {
    const company = await openCompany();
    const email = company.newEmail();
    await prove(latchkey, await register(latchkey, { email }));
    const browser = browserOf(latchkey);
    const plain = await flowFor();
    const password = await browser.submit(await browser.open(plain.url), { identifier: email, password: PASSWORD });
    assert.ok((await plain.finish(password)).access_token);
    const joined = await flowFor({ organization: company.organizationId });
    const other = browserOf(latchkey);
    await approve(other, await other.open(joined.url), { sub: 'required', email }, company);
    await company.change({ required: true });
    const flow = await flowFor({ organization: company.organizationId });
    const there = await browser.open(flow.url);
    const end = await approve(browser, there, { sub: 'required', email }, company);
    const tokens = await flow.finish(end);
    assert.equal((await userInfoOf(flow, tokens))['org_id'], company.organizationId);
  });
});
