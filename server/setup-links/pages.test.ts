import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { newServiceKey } from '#saml';
import { startDomains } from '#tests/domains.ts';
import { changeSettings, eventually, mailedToken, newEmail, register } from '#tests/harness.ts';
import { type Issuer, startIssuer } from '#tests/issuer.ts';
import { providerMetadata } from '#tests/saml-provider.ts';
import { type Customer, newCustomer, openLink } from '#tests/setup-links.ts';

const { latchkey, publish, stop } = await startDomains();
let upstream: Issuer;
after(async () => {
  await stop();
  await upstream.stop();
});
let customer: Customer;
let metadata: string;
before(async () => {
  upstream = await startIssuer();
  const { certificate } = await newServiceKey('provider', new Date());
  metadata = providerMetadata({
    entityId: 'https://idp.example.com',
    signOn: 'https://idp.example.com/sso',
    certificates: [certificate],
  });
});

beforeEach(async () => {
  customer = await newCustomer(latchkey, '<b>Acme</b>');
});

const open = (link: object = {}) => openLink(latchkey, customer, link);
const items = async (below: string) => (await customer.admin(below)).body.items;
const denied = /This link does not allow that/;
const conflict = /This has changed since you opened the page/;
let hosts = 0;
const newHost = () => {
  hosts += 1;
  return `setup${hosts}.example`;
};
/** The address of a page that a page leads to. */
const linkIn = (text: string, pattern: RegExp) => pattern.exec(text)?.[1] ?? assert.fail(`${pattern} in ${text}`);

describe('the pages of a set-up link', () => {
  test('lead through a domain: added, checked, joined by, removed', async () => {
    const { send, page, browser } = await open();
    const host = newHost();
    const added = await send('/domains', { host: host.toUpperCase() });
    assert.match(added.text, /_latchkey-verification/);
    const [domain] = await items('/domains');
    assert.equal(domain.host, host);
    const path = `/domains/${domain.id}`;
    const unproven = await browser.submit(added, { do: 'check' }, path);
    assert.match(unproven.text, /The DNS record was not found yet/);
    publish(domain);
    assert.match((await browser.submit(unproven, { do: 'check' }, path)).text, /The record was found/);
    const shown = await page(path);
    assert.match((await browser.submit(shown, { do: 'join' }, path)).text, /join when they sign in/);
    assert.equal((await items('/domains'))[0].autoJoin, true);
    assert.match((await browser.submit(shown, { do: 'leave' }, path)).text, conflict);
    assert.match((await send('/domains', { host })).text, /This exists already/);
    assert.match((await send('/domains', { host: 'gmail.com' })).text, /is a mail service/);
    await send(path, { do: 'remove' });
    assert.deepEqual(await items('/domains'), []);
  });

  test('connect by SAML with the values shown in advance, and switch on, require and remove', async () => {
    const { send, page, browser } = await open();
    const guide = await page('/connection/new/entra');
    const entityId = linkIn(guide.text, /(urn:latchkey:connection:con_\w+)/);
    const saved = await browser.submit(guide, { name: 'Entra', metadata }, '/new/entra');
    assert.match(saved.text, /Your change has been saved/);
    const [connection] = await items('/connections');
    assert.deepEqual(
      [connection.saml.serviceProvider.entityId, connection.status, connection.required, connection.roles],
      [entityId, 'disabled', false, []],
    );
    const again = await browser.submit(guide, { name: 'Twice', metadata }, '/new/entra');
    assert.match(again.text, conflict, 'the same values are used once');
    const path = `/connection/${connection.id}`;
    const before = await page(path);
    assert.match((await browser.submit(before, { do: 'enable' }, path)).text, /switched on/);
    assert.match((await browser.submit(before, { do: 'require' }, path)).text, conflict);
    await send(path, { do: 'require' }, path);
    await send(path, { do: 'join' }, path);
    const [changed] = await items('/connections');
    assert.deepEqual([changed.status, changed.required, changed.justInTime], ['enabled', true, true]);
    await send(`${path}/settings`, { name: 'Acme Entra' }, '/settings');
    assert.equal((await items('/connections'))[0].name, 'Acme Entra');
    await send(path, { do: 'remove' }, path);
    assert.deepEqual(await items('/connections'), []);
  });

  test('connect by OpenID Connect, and show no secret again', async () => {
    const { send, page } = await open();
    const fields = { name: 'IdP', issuer: 'https://login.example.com', clientId: 'lk', clientSecret: 'very secret' };
    await send('/connection/new/oidc', fields, '/new/oidc');
    const [connection] = await items('/connections');
    assert.deepEqual([connection.oidc.issuer, connection.oidc.hasSecret], ['https://login.example.com', true]);
    const settings = `/connection/${connection.id}/settings`;
    const shown = await Promise.all([page(settings), page(`/connection/${connection.id}`)]);
    for (const { text } of shown) assert.doesNotMatch(text, /very secret/);
    const moved = await send(settings, { ...fields, issuer: 'https://evil.example', clientSecret: '' }, '/settings');
    assert.match(moved.text, /the stored secret does not follow/);
    await send(`/connection/${connection.id}`, { do: 'remove' });
  });

  test('connect by OpenID Connect with a key, whose address is shown in advance', async () => {
    const { send, page } = await open();
    const guide = await page('/connection/new/oidc');
    const jwksUrl = linkIn(guide.text, /<code[^>]*>(http[^<]*\/jwks\?[^<]*)</).replaceAll('&amp;', '&');
    const fields = { name: 'IdP', issuer: 'https://login.example.com', clientId: 'lk' };
    const signed = { ...fields, clientAuthentication: 'private_key_jwt' };
    const both = await send('/connection/new/oidc', { ...signed, clientSecret: 'secret' }, '/new/oidc');
    assert.match(both.text, /is not used with private_key_jwt/);
    await send('/connection/new/oidc', { ...signed, clientAuthentication: 'none' }, '/new/oidc');
    assert.deepEqual(await items('/connections'), []);
    const saved = await send('/connection/new/oidc', signed, '/new/oidc');
    const [{ id, oidc }] = await items('/connections');
    assert.deepEqual([oidc.clientAuthentication, oidc.jwksUrl, oidc.hasSecret], ['private_key_jwt', jwksUrl, false]);
    assert.ok(saved.text.includes(jwksUrl.replaceAll('&', '&amp;')));
    assert.ok((await (await fetch(jwksUrl)).text()).includes(`"kid":"${oidc.keyIds[0]}"`));
    const settings = `/connection/${id}/settings`;
    assert.match((await page(settings)).text, /value="private_key_jwt" selected/);
    await send(settings, { ...signed, name: 'Same key' }, '/settings');
    assert.deepEqual((await items('/connections'))[0].oidc.keyIds, oidc.keyIds);
    await send(settings, { ...fields, clientAuthentication: 'client_secret', clientSecret: 'secret' }, '/settings');
    const [{ oidc: back }] = await items('/connections');
    assert.deepEqual([back.clientAuthentication, back.hasSecret, back.keyIds], ['client_secret', true, []]);
    await send(`/connection/${id}`, { do: 'remove' });
  });

  test('explain a test sign-in, also of a connection that is switched off', async () => {
    const { send, page, browser } = await open();
    const { auth } = latchkey.system.config.addresses.test;
    const fields = { name: 'IdP', issuer: upstream.issuer, clientId: 'lk', clientSecret: 'secret' };
    await send('/connection/new/oidc', fields, '/new/oidc');
    const [{ id }] = await items('/connections');
    const path = `/connection/${id}`;
    upstream.claims = { sub: 'ada', email: 'ada@acme.example', name: '<i>Ada</i>' };
    const there = await browser.submit(await page(path), { do: 'test' }, path);
    assert.ok(there.url.startsWith(upstream.issuer), `${there.url} ${there.text}`);
    assert.match((await page(path)).text, /The test is not over yet/);
    const approved = new URLSearchParams(upstream.approve(there.url));
    const back = await browser.open(`${auth}/v1/auth/login/connections/${id}/callback?${approved}`);
    assert.equal(back.url, `${auth}/setup${path}`);
    assert.match(back.text, /What your identity provider sent/);
    assert.match(back.text, /ada@acme\.example/);
    assert.match(back.text, /&lt;i&gt;Ada/);
    assert.equal((await customer.call(`members?q=${encodeURIComponent('ada@acme.example')}`)).body.items.length, 0);
  });

  test('call the addresses that a person gives at most twenty times in ten minutes', async () => {
    const { page, browser } = await open({ tasks: ['connection'] });
    const guide = await page('/connection/new/okta');
    const wrong = { name: 'Okta', metadata: '<x>' };
    await Promise.all(Array.from({ length: 20 }, () => browser.submit(guide, wrong, '/new/okta')));
    assert.match((await browser.submit(guide, wrong, '/new/okta')).text, /Too many attempts/);
  });

  test('call no internal address, and refuse invalid metadata', async () => {
    const { send } = await open();
    for (const wrong of [
      { metadataUrl: 'http://169.254.169.254/latest/meta-data' },
      { metadataUrl: 'http://10.0.0.1/metadata' },
      { metadataUrl: 'file:///etc/passwd' },
      { metadata: '<x>' },
      { metadata: 'x'.repeat(200_001) },
      { metadata, metadataUrl: 'https://idp.example.com' },
      {},
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: names the value that fails
      const refused = await send('/connection/new/okta', { name: 'Okta', ...wrong }, '/new/okta');
      assert.match(refused.text, /role="alert"/, JSON.stringify(wrong).slice(0, 100));
    }
    assert.deepEqual(await items('/connections'), []);
  });

  test('issue a SCIM token that is shown once, and remove it', async () => {
    const { send, page } = await open();
    const issued = await send('/directory', { name: '<script>alert(1)</script>' });
    const token = linkIn(issued.text, /(lkp_[\w-]+)/);
    assert.match(issued.text, /\/scim\/v2/);
    const shown = await page('/directory');
    assert.doesNotMatch(shown.text, /lkp_/);
    assert.doesNotMatch(shown.text, /<script>alert/);
    const authorization = `Bearer ${token}`;
    const call = () => latchkey.api('/scim/v2/Users', { headers: { authorization } });
    assert.equal((await call()).status, 200);
    const [{ id }] = await items('/scim/tokens');
    await send(`/directory/${id}`, {});
    assert.equal((await call()).status, 401);
  });

  test('change the policy only to be stricter than the project’s', async () => {
    const { send, page, browser } = await open();
    const shown = await page('/policies');
    const rules = {
      methods: 'password',
      mfa: 'required',
      idle: '3600',
      absolute: '',
      addresses: '203.0.113.0/24\n::1',
    };
    assert.match((await browser.submit(shown, rules, '/policies')).text, /Your change has been saved/);
    const { body } = await customer.admin('/policy');
    assert.deepEqual(body, {
      signInMethods: ['password'],
      mfa: 'required',
      sessionIdleSeconds: 3_600,
      sessionAbsoluteSeconds: null,
      addresses: ['203.0.113.0/24', '::1'],
    });
    const others = { idle: '', absolute: '', addresses: '' };
    assert.match((await browser.submit(shown, others, '/policies')).text, conflict);
    const weak = await send('/policies', { ...others, idle: '99999999' });
    assert.match(weak.text, /The project allows at most/);
    assert.match((await send('/policies', { ...others, addresses: 'nowhere' })).text, /is not an address or range/);
    await changeSettings(latchkey, { signInMethods: ['password', 'passkey'] });
    assert.match((await send('/policies', { ...others, methods: 'phone' })).text, /The project does not offer/);
    assert.match((await send('/policies', others)).text, /Your change has been saved/);
    assert.equal((await customer.admin('/policy')).body.mfa, null);
  });

  test('invite with the roles of the link alone; a revoked link revokes its invitations', async () => {
    const { send, page, made } = await open({ roles: ['admin'] });
    const [email, second] = [newEmail(), newEmail()];
    assert.match((await send('/team', { email, role: 'admin' })).text, /The invitation has been sent/);
    assert.match((await send('/team', { email: second, role: '' })).text, /The invitation has been sent/);
    assert.match((await send('/team', { email: newEmail(), role: 'owner' })).text, denied);
    assert.match((await send('/team', { email, role: '' })).text, /This exists already/);
    const invitations = (await customer.call(`invitations?organizationId=${customer.organizationId}`)).body.items;
    const [invitation] = invitations.filter((one: { email: string }) => one.email === email);
    assert.deepEqual([invitation.organizationRoles, invitation.invitedBy], [['admin'], made.madeBy]);
    const first = await mailedToken(latchkey, email);
    await send(`/team/${invitation.id}`, { do: 'resend' });
    const token = await mailedToken(latchkey, email);
    assert.notEqual(token, first);
    const owner = { email: newEmail(), organizationId: customer.organizationId, organizationRoles: ['owner'] };
    const above = await customer.call('invitations', 'POST', owner);
    assert.match((await send(`/team/${above.body.id}`, { do: 'revoke' })).text, denied);
    const foreign = await customer.call('invitations', 'POST', { email: newEmail() });
    assert.match((await page(`/team/${foreign.body.id}`)).text, /role="alert"/);
    const accepted = await latchkey.auth('/v1/auth/invitations/accept', {
      body: { token, password: 'a very long secret of mine' },
    });
    assert.equal(accepted.status, 200, accepted.text);
    const members = await items('/members');
    assert.deepEqual(
      members.map(({ roles }: { roles: string[] }) => roles),
      [['admin']],
    );
    await customer.admin(`/setup-links/${made.id}`, 'DELETE');
    const late = { token: await mailedToken(latchkey, second), password: 'a very long secret of mine' };
    assert.equal((await latchkey.auth('/v1/auth/invitations/accept', { body: late })).status, 400);
  });

  test('show and change only what the tasks of the link name', async () => {
    const { page, browser, overview } = await open({ tasks: ['domains'] });
    const key = linkIn(overview.text, /name="formKey" value="([^"]+)"/);
    assert.match(overview.text, /href="\/setup\/domains"/);
    assert.doesNotMatch(overview.text, /href="\/setup\/(connection|directory|policies|team)/);
    const { auth } = latchkey.system.config.addresses.test;
    for (const path of ['connection/new/oidc', 'directory', 'policies', 'team']) {
      // biome-ignore lint/performance/noAwaitInLoops: names the page that fails
      assert.match((await page(`/${path}`)).text, denied, path);
      const text = `<form action="/setup/${path}"><input type="hidden" name="formKey" value="${key}"></form>`;
      const fields = { name: 'x', email: newEmail(), role: '', seen: 'x', idle: '', absolute: '', addresses: '' };
      const forged = await browser.submit({ url: `${auth}/setup`, status: 200, text }, fields);
      assert.match(forged.text, denied, path);
    }
    assert.deepEqual([await items('/scim/tokens'), await items('/connections')], [[], []]);
  });

  test('take no form of another page, and escape every name', async () => {
    const { page, browser, overview } = await open({ tasks: ['domains'] });
    assert.doesNotMatch(overview.text, /<b>Acme/);
    assert.match(overview.text, /&lt;b&gt;Acme/);
    const shown = await page('/domains');
    const { auth } = latchkey.system.config.addresses.test;
    const jar = [...(browser.cookies.get('/') ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
    const key = linkIn(shown.text, /name="formKey" value="([^"]+)"/);
    const post = (body: Record<string, string>, headers: Record<string, string>) =>
      latchkey.auth('/setup/domains', {
        method: 'POST',
        body: new URLSearchParams({ host: newHost(), ...body }),
        headers: { cookie: jar, ...headers },
      });
    const before = (await items('/domains')).length;
    const own = { origin: auth };
    assert.equal((await post({ formKey: key }, { origin: 'https://evil.example' })).status, 403);
    assert.equal((await post({ formKey: key }, { origin: 'null', 'sec-fetch-site': 'cross-site' })).status, 403);
    assert.equal((await post({}, own)).status, 403, 'without the key');
    assert.equal((await post({ formKey: `${key}x` }, own)).status, 403, 'with another key');
    assert.equal((await items('/domains')).length, before);
    assert.equal((await post({ formKey: key }, own)).status, 303);
    assert.equal((await items('/domains')).length, before + 1);
  });

  test('may be framed by the origin of the link alone', async () => {
    const headersOf = async (url: string) => (await fetch(url)).headers;
    const plain = await headersOf((await open({ tasks: ['domains'] })).made.url);
    assert.match(plain.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
    assert.equal(plain.get('x-frame-options'), 'DENY');
    const { made } = await open({ tasks: ['domains'], frameOrigin: 'http://localhost:5173' });
    const framed = await headersOf(made.url);
    assert.match(framed.get('content-security-policy') ?? '', /frame-ancestors http:\/\/localhost:5173$/);
    assert.equal(framed.get('x-frame-options'), null);
    const applications = await customer.call('applications');
    const app = applications.body.items.find(({ origins }: { origins: string[] }) =>
      origins.includes('http://localhost:5173'),
    );
    await customer.call(`applications/${app.id}`, 'PATCH', { origins: ['http://localhost:5999'] });
    assert.match((await headersOf(made.url)).get('content-security-policy') ?? '', /frame-ancestors 'none'/);
    await customer.call(`applications/${app.id}`, 'PATCH', { origins: app.origins });
  });

  test('finish with the way back, and leave a trail for both sides', async () => {
    const owner = await register(latchkey);
    const found = await customer.call(`members?q=${encodeURIComponent(owner.email)}`);
    await customer.admin('/members', 'POST', { memberId: found.body.items[0].id, roles: ['owner'] });
    const returnUrl = 'http://localhost:5173/done';
    const { send, made } = await open({ tasks: ['domains'], returnUrl });
    await send('/domains', { host: newHost() });
    const finished = await send('/finish', {});
    assert.match(finished.text, new RegExp(`href="${returnUrl}" target="_top"`));
    // Entries appear a moment after their events.
    const log = await eventually(async () => {
      const entries = await customer.call(`audit-events?actor=${made.id}`);
      assert.deepEqual(entries.body.items.map(({ action }: { action: string }) => action).sort(), [
        'organization.domain.created',
        'organization.setup_link.completed',
        'organization.setup_link.opened',
      ]);
      return entries;
    });
    assert.deepEqual(Object.keys(log.body.items[0].actor).sort(), ['kind', 'maker', 'setupLinkId']);
    assert.equal(log.body.items[0].actor.maker.userId, made.madeBy);
    const path = `/v1/me/organizations/${customer.organizationId}`;
    const seen = await latchkey.api(`${path}/audit-events`, { token: owner.access_token });
    const [entry] = seen.body.items.filter(
      ({ action }: { action: string }) => action === 'organization.domain.created',
    );
    assert.deepEqual(entry.actor, { kind: 'setup_link', userId: null, setupLinkId: made.id });
    const link = await latchkey.api(`${path}/setup-links/${made.id}`, { token: owner.access_token });
    assert.notEqual(link.body.completedAt, null);
  });
});
