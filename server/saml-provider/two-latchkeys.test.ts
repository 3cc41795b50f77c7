import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newCompany } from '#tests/connections.ts';
import { PASSWORD, prove, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { browserFor, codeFlow } from '#tests/oidc.ts';
import { newServiceProvider, sentForm } from '#tests/saml-service-provider.ts';

let provider: TestLatchkey;
let service: TestLatchkey;
before(async () => {
  [provider, service] = await Promise.all([startTestLatchkey(), startTestLatchkey({ settings: {} })]);
});
after(() => Promise.all([provider.stop(), service.stop()]));

const authOf = (latchkey: TestLatchkey) => latchkey.system.config.addresses.test.auth;

/** A person who is signed in at one Latchkey, and through it at another. Each side has its own cookies. */
async function signedInAtBoth() {
  const company = await newCompany(service);
  const who = await prove(provider, await register(provider, { email: company.newEmail() }));
  const at = await newServiceProvider(provider, { entityId: 'urn:later', attributePreset: 'claims' });
  const saml = { metadataUrl: at.own.metadataUrl, singleLogout: true };
  const connected = await company.call('/connections', 'POST', {
    name: 'SAML',
    status: 'enabled',
    justInTime: true,
    saml,
  });
  assert.equal(connected.status, 201, connected.text);
  const { workspaceId, projects } = service.demo;
  const scope = new URLSearchParams({ workspaceId, projectId: String(projects[0]?.id) });
  const metadataUrl = `${authOf(service)}/v1/auth/login/connections/${connected.body.id}/metadata?${scope}`;
  const changed = await at.change({ saml: { metadataUrl } });
  assert.equal(changed.saml.logout.url, connected.body.saml.serviceProvider.logoutUrl);
  const [there, here] = [browserFor([authOf(provider)]), browserFor([authOf(service)])];
  const flow = await codeFlow(service, { organization: company.organizationId });
  const left = await here.open(flow.url);
  assert.ok(left.url.startsWith(at.own.signOnUrl), `${left.url} ${left.text}`);
  const form = await there.submit(await there.open(left.url), { identifier: who.email, password: PASSWORD });
  assert.equal(sentForm(form).action, connected.body.callbackUrl);
  const { access_token: token } = await flow.finish(await here.submit(form, {}));
  const isAlive = async () =>
    (await fetch(`${authOf(service)}/connect/userinfo`, { headers: { authorization: `Bearer ${token}` } })).status ===
    200;
  const isKnown = async () => !(await there.open(left.url)).text.includes('name="password"');
  assert.deepEqual([await isAlive(), await isKnown()], [true, true]);
  return { there, here, isAlive, isKnown };
}

/** The address to which the button of a page leads. */
function leadOf({ text }: { text: string }): string {
  const [, address = ''] = /<a class="button" href="([^"]+)"/.exec(text) ?? [];
  return address.replaceAll('&amp;', '&');
}

test('a logout at Latchkey ends the session at a second Latchkey, and comes back', async () => {
  const { there, here, isAlive, isKnown } = await signedInAtBoth();
  const question = await there.open(`${authOf(provider)}/connect/logout`);
  const page = await there.submit(question, { logout: 'yes' });
  const answered = await here.open(leadOf(page));
  assert.ok(answered.url.includes('SAMLResponse='), answered.text);
  const end = await there.open(answered.url);
  assert.match(end.url, /\/connect\/logout\/success/);
  assert.deepEqual([await isAlive(), await isKnown()], [false, false]);
});

test('a logout at the second Latchkey ends the session at the first, and comes back', async () => {
  const { there, here, isAlive, isKnown } = await signedInAtBoth();
  const question = await here.open(`${authOf(service)}/connect/logout`);
  const left = await here.submit(question, { logout: 'yes' });
  assert.ok(left.url.includes('SAMLRequest='), left.text);
  const answered = await there.open(left.url);
  assert.ok(answered.url.includes('SAMLResponse='), answered.text);
  const end = await here.open(answered.url);
  assert.match(end.url, /\/connect\/logout\/success/);
  assert.deepEqual([await isAlive(), await isKnown()], [false, false]);
});
