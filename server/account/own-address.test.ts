import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bindHost, fetchHere, startDns, type TestDns } from '#tests/domains.ts';
import { PASSWORD, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { browserFor } from '#tests/oidc.ts';

let dns: TestDns;
let latchkey: TestLatchkey;
let issuer: string;
before(async () => {
  dns = await startDns();
  latchkey = await startTestLatchkey({ settings: { LATCHKEY_DNS_SERVERS: dns.address } });
  ({ auth: issuer } = await bindHost(latchkey, dns, { host: 'login.shop.example', purposes: ['auth'] }));
});
after(async () => {
  await latchkey.stop();
  dns.stop();
});

describe('on a project’s own auth address', () => {
  test('the account page signs in, changes and signs out without leaving it', async () => {
    const person = await register(latchkey);
    const browser = browserFor([issuer], fetchHere());
    const question = await browser.open(`${issuer}/account`);
    assert.ok(question.url.startsWith(`${issuer}/sign-in/`), question.url);
    const page = await browser.submit(question, { identifier: person.email, password: PASSWORD });
    assert.equal(page.url, `${issuer}/account`);
    const saved = await browser.submit(page, { displayName: 'Ada' }, '/account');
    assert.match(saved.text, /Your change has been saved/);
    const out = await browser.submit(saved, {}, '/sign-out');
    assert.ok(out.url.startsWith(`${issuer}/account/signed-out`), out.url);
  });

  test('the project’s page is the one shown; another project’s is refused', async () => {
    const [, second] = latchkey.demo.projects;
    const clientId = `account.${latchkey.demo.workspaceId}.${second?.id}`;
    const page = await browserFor([issuer], fetchHere()).open(`${issuer}/account?clientId=${clientId}`);
    assert.equal(page.status, 403);
    assert.match(page.text, /serves one project/);
  });
});
