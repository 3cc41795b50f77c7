import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { exchange, newCompany, startOf } from '#tests/connections.ts';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { browserOf } from '#tests/oidc.ts';
import { type Keycloak, missing, startKeycloak } from './keycloak.ts';

describe('Keycloak as the identity provider of an organization', { skip: missing ?? false }, () => {
  let keycloak: Keycloak;
  let latchkey: TestLatchkey;
  before(async () => {
    [keycloak, latchkey] = await Promise.all([startKeycloak(), startTestLatchkey()]);
  });
  after(() => Promise.all([keycloak.stop(), latchkey.stop()]));

  test('people sign in by SAML, with an encrypted assertion', async () => {
    const company = await newCompany(latchkey);
    const body = {
      name: 'Keycloak',
      status: 'enabled',
      justInTime: true,
      saml: { metadata: await keycloak.metadata() },
    };
    const created = await company.call('/connections', 'POST', body);
    assert.equal(created.status, 201, created.text);
    const { id, callbackUrl } = created.body;
    const { workspaceId, projects } = latchkey.demo;
    const scope = `workspaceId=${workspaceId}&projectId=${projects[0]?.id}`;
    const ours = await latchkey.auth(`/v1/auth/login/connections/${id}/metadata?${scope}`);
    const client = await keycloak.clientOf(ours.text);
    assert.equal(Object(client['attributes'])['saml.encrypt'], 'true');
    const email = { 'user.attribute': 'email', 'attribute.name': 'email' };
    const mapper = { name: 'email', protocol: 'saml', protocolMapper: 'saml-user-property-mapper', config: email };
    await keycloak.addClient({ ...client, protocolMappers: [mapper] });
    const person = await keycloak.addPerson(company.newEmail());

    const browser = browserOf(latchkey);
    const { url } = await browser.open(startOf(latchkey, id));
    assert.ok(url.startsWith(keycloak.issuer), url);
    const { text } = await keycloak.signIn(url, person);
    const fieldOf = (name: string) => new RegExp(`name="${name}"\\s+value="([^"]*)"`, 'i').exec(text)?.[1] ?? '';
    const posted = await latchkey.auth(new URL(callbackUrl).pathname, {
      method: 'POST',
      body: new URLSearchParams({ SAMLResponse: fieldOf('SAMLResponse'), RelayState: fieldOf('RelayState') }),
    });
    const location = posted.headers.get('location');
    assert.ok(location, `${posted.text} ${text}`);
    const back = await browser.open(new URL(location, callbackUrl).href);
    const signedIn = await exchange(latchkey, new URL(back.url).searchParams.get('code'));
    assert.equal(signedIn.body.session?.organizationId, company.organizationId, `${back.url} ${signedIn.text}`);
    assert.deepEqual(
      (await company.members()).map((member) => member.email),
      [person.email],
    );
  });

  test('people sign in by OpenID Connect', async () => {
    const company = await newCompany(latchkey);
    const { issuer } = keycloak;
    const oidc = { issuer, clientId: 'latchkey', clientSecret: crypto.randomUUID() };
    const body = { name: 'Keycloak', status: 'enabled', justInTime: true, oidc };
    const created = await company.call('/connections', 'POST', body);
    assert.equal(created.status, 201, created.text);
    const { id, callbackUrl } = created.body;
    await keycloak.addClient({
      clientId: oidc.clientId,
      secret: oidc.clientSecret,
      redirectUris: [callbackUrl],
      attributes: { 'pkce.code.challenge.method': 'S256' },
    });
    const person = await keycloak.addPerson(company.newEmail());

    const browser = browserOf(latchkey);
    const { url } = await browser.open(startOf(latchkey, id));
    assert.ok(url.startsWith(keycloak.issuer), url);
    const { location } = await keycloak.signIn(url, person);
    assert.ok(location, 'a redirect');
    assert.ok(location.startsWith(callbackUrl), location);
    const back = await browser.open(location);
    const signedIn = await exchange(latchkey, new URL(back.url).searchParams.get('code'));
    assert.equal(signedIn.body.session?.organizationId, company.organizationId, `${back.url} ${signedIn.text}`);
    assert.deepEqual(
      (await company.members()).map((member) => member.email),
      [person.email],
    );
  });
});
