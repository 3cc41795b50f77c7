import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { decodeJwt } from 'jose';
import { newApplication, REDIRECT } from '#tests/apis.ts';
import { callAt, fetchHere, startDns, type TestDns } from '#tests/domains.ts';
import {
  changeSettings,
  expectProblem,
  managementToken,
  PASSWORD,
  PKCE,
  register,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { type Browser, browserFor, returned } from '#tests/oidc.ts';
import { createTenant, tenantManagementToken } from '#tests/tenants.ts';

let latchkey: TestLatchkey;
let dns: TestDns;
let token: string;
let application: { clientId: string; secret: string };
before(async () => {
  dns = await startDns();
  latchkey = await startTestLatchkey({ settings: { LATCHKEY_DNS_SERVERS: dns.address } });
  token = await managementToken(latchkey);
  const { clientId, secret } = await newApplication(latchkey, {});
  application = { clientId, secret: secret ?? '' };
  await changeSettings(latchkey, { maxOwnOrganizations: 100 });
});
after(async () => {
  await latchkey.stop();
  dns.stop();
});

type Call = (path: string, method?: string, body?: unknown) => Promise<TestResponse>;
const as =
  (bearer: string, prefix: string): Call =>
  (path, method = 'GET', body = undefined) =>
    latchkey.api(prefix + path, { token: bearer, method, ...(body !== undefined && { body }) });
const admin: Call = (...call) => as(token, '/v1/admin/')(...call);

let count = 0;
const newHost = () => {
  count += 1;
  return `login.company-${count}.example`;
};
async function newOrganization(branding?: object): Promise<string> {
  const { body } = await admin('organizations', 'POST', { name: 'Company' });
  if (branding) await admin(`organizations/${body.id}/branding`, 'PATCH', branding);
  return body.id;
}

function publish({ verification }: TestResponse['body']): void {
  dns.zone.set(verification.name, [[verification.value]]);
}

/** Gives an organization a verified custom domain. */
async function addressOf(organizationId: string, host = newHost()): Promise<string> {
  const { body, text } = await admin(`organizations/${organizationId}/custom-domains`, 'POST', { host });
  assert.ok(body.verification, text);
  publish(body);
  const verified = await admin(`domains/${body.id}/verify`, 'POST', {});
  assert.equal(verified.status, 200, verified.text);
  const { body: bindings } = await admin(`domains/${body.id}/bindings`);
  return bindings.items[0].address;
}

type Person = { email: string; access_token: string };
async function newMember(organizationId: string, roles: string[] = []): Promise<Person> {
  const person = await register(latchkey);
  const { body } = await admin(`members?q=${encodeURIComponent(person.email)}`);
  const added = await admin(`organizations/${organizationId}/members`, 'POST', { memberId: body.items[0].id, roles });
  assert.equal(added.status, 201, added.text);
  return person;
}

function authorizeAt(address: string, asked: Record<string, string> = {}): string {
  const parameters = {
    ...{
      client_id: application.clientId,
      redirect_uri: REDIRECT,
      response_type: 'code',
      scope: 'openid offline_access',
    },
    ...{ code_challenge: PKCE.codeChallenge, code_challenge_method: 'S256', state: 'state' },
  };
  return `${address}/connect/authorize?${new URLSearchParams({ ...parameters, ...asked })}`;
}

const browserAt = (...addresses: string[]): Browser => browserFor(addresses, fetchHere());

async function signInAt(address: string, person: Person, browser = browserAt(address)) {
  return browser.submit(await browser.open(authorizeAt(address)), { identifier: person.email, password: PASSWORD });
}

const basic = () => `Basic ${btoa(`${application.clientId}:${application.secret}`)}`;
const tokensAt = (address: string, form: Record<string, string>) =>
  callAt(latchkey, `${address}/connect/token`, {
    body: new URLSearchParams(form),
    headers: { authorization: basic() },
  });
const exchangeAt = (address: string, { url }: { url: string }) =>
  tokensAt(address, {
    grant_type: 'authorization_code',
    code: returned(url)['code'] ?? '',
    redirect_uri: REDIRECT,
    code_verifier: PKCE.codeVerifier,
  });
const refreshAt = (address: string, refreshToken: string, more: Record<string, string> = {}) =>
  tokensAt(address, { grant_type: 'refresh_token', refresh_token: refreshToken, ...more });

async function organizationIn(address: string, { access_token: bearer }: { access_token: string }): Promise<string> {
  return (await callAt(latchkey, `${address}/connect/userinfo`, { token: bearer })).body.org_id;
}

describe('the address of an organization', () => {
  test('signs members in for it without the parameter, as an issuer of its own, in its branding', async () => {
    const id = await newOrganization({ name: 'Acme Works', accentColor: '#a02060' });
    const [address, person] = [await addressOf(id), await newMember(id)];
    const first = await browserAt(address).open(authorizeAt(address));
    assert.match(first.text, /<span>Acme Works<\/span>/);
    const end = await signInAt(address, person);
    assert.equal(returned(end.url)['iss'], address, end.text);
    const { body } = await exchangeAt(address, end);
    assert.deepEqual([decodeJwt(body.id_token).iss, await organizationIn(address, body)], [address, id]);
    const { body: metadata } = await callAt(latchkey, `${address}/.well-known/openid-configuration`);
    assert.equal(metadata.issuer, address);
    const other = await newOrganization();
    const { body: members } = await admin(`members?q=${encodeURIComponent(person.email)}`);
    await admin(`organizations/${other}/members`, 'POST', { memberId: members.items[0].id, roles: [] });
    const switched = await refreshAt(address, body.refresh_token, { organization: other });
    assert.deepEqual([switched.status, switched.body.error], [400, 'invalid_request']);
    assert.equal((await refreshAt(address, body.refresh_token)).status, 200);
  });

  test('takes its own name as parameter, and plainly refuses another one', async () => {
    const [id, other] = [await newOrganization(), await newOrganization()];
    const address = await addressOf(id);
    const open = async (organization: string) => browserAt(address).open(authorizeAt(address, { organization }));
    assert.match((await open(id)).text, /name="identifier"/);
    for (const organization of [other, 'unknown']) {
      // biome-ignore lint/performance/noAwaitInLoops: two
      const { error, error_description: description } = returned((await open(organization)).url);
      assert.deepEqual(
        [error, description],
        ['invalid_request', 'this address signs people in for another organization'],
      );
    }
  });

  test('gives a person who is no member neither a code nor the account page', async () => {
    const id = await newOrganization();
    const [address, outsider] = [await addressOf(id), await register(latchkey)];
    const browser = browserAt(address);
    const end = await signInAt(address, outsider, browser);
    assert.deepEqual([returned(end.url)['error'], returned(end.url)['code']], ['access_denied', undefined], end.text);
    const account = await browser.open(`${address}/account`);
    assert.ok(!account.text.includes(outsider.email), account.text);
  });

  test('shows members their account in its branding, and no longer once they are removed', async () => {
    const id = await newOrganization({ name: 'Acme Works' });
    const [address, person] = [await addressOf(id), await newMember(id)];
    const browser = browserAt(address);
    const page = await browser.submit(await browser.open(`${address}/account`), {
      identifier: person.email,
      password: PASSWORD,
    });
    assert.equal(page.url, `${address}/account`, page.text);
    assert.match(page.text, /<span>Acme Works<\/span>/);
    const { body } = await admin(`organizations/${id}/members`);
    await admin(`organizations/${id}/members/${body.items[0].memberId}`, 'DELETE');
    assert.ok(!(await browser.open(`${address}/account`)).text.includes(person.email));
  });

  test('begins and continues no session of the API, and no page of another origin is trusted there', async () => {
    const id = await newOrganization();
    const [address, person] = [await addressOf(id), await newMember(id)];
    const body = { identifier: person.email, password: PASSWORD };
    for (const [path, sent] of [
      ['/v1/auth/login/password', body],
      ['/v1/auth/register', body],
      ['/v1/sessions/refresh', { refreshToken: 'lkr_x' }],
    ] as const) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const refused = await callAt(latchkey, address + path, { body: sent });
      expectProblem(refused, 403, 'CONTEXT_NOT_ALLOWED');
    }
    const headers = { origin: address };
    const cookies = { ...body, cookies: true };
    const elsewhere = await latchkey.auth('/v1/auth/login/password', { body: cookies, headers });
    expectProblem(elsewhere, 403, 'ORIGIN_NOT_ALLOWED');
  });

  test('is not changed by headers about hosts: one that no proxy may send is ignored, an unknown host is refused', async () => {
    const address = await addressOf(await newOrganization());
    const metadata = (headers: Record<string, string>) =>
      callAt(latchkey, `${address}/.well-known/openid-configuration`, { headers });
    assert.equal((await metadata({ forwarded: 'host=evil.example' })).body.issuer, address);
    expectProblem(await metadata({ 'x-forwarded-host': 'evil.example' }), 421, 'UNKNOWN_HOST');
  });

  test('is closed while the organization is blocked, and after it was deleted', async () => {
    const id = await newOrganization({ name: 'Acme Works' });
    const [address, person] = [await addressOf(id), await newMember(id)];
    const { body } = await exchangeAt(address, await signInAt(address, person));
    const expectClosed = async () => {
      const page = await browserAt(address).open(authorizeAt(address));
      assert.equal(page.status, 403);
      assert.match(page.text, /This address is closed/);
      assert.doesNotMatch(page.text, /Acme/);
      expectProblem(await refreshAt(address, body.refresh_token), 403, 'ORGANIZATION_BLOCKED');
      expectProblem(await callAt(latchkey, `${address}/connect/jwks`), 403, 'ORGANIZATION_BLOCKED');
    };
    await admin(`organizations/${id}/block`, 'POST');
    await expectClosed();
    await admin(`organizations/${id}/unblock`, 'POST');
    assert.match((await browserAt(address).open(authorizeAt(address))).text, /name="identifier"/);
    await admin(`organizations/${id}`, 'DELETE');
    await expectClosed();
  });

  test('that moves to another organization keeps no session, grant or token of the first', async () => {
    const [first, second] = [await newOrganization(), await newOrganization()];
    const host = newHost();
    const address = await addressOf(first, host);
    const both = await newMember(first);
    const { body: members } = await admin(`members?q=${encodeURIComponent(both.email)}`);
    await admin(`organizations/${second}/members`, 'POST', { memberId: members.items[0].id, roles: [] });
    const browser = browserAt(address);
    const { body } = await exchangeAt(address, await signInAt(address, both, browser));
    const { body: domains } = await admin(`organizations/${first}/custom-domains`);
    assert.equal((await admin(`domains/${domains.items[0].id}`, 'DELETE')).status, 204);
    assert.equal(await addressOf(second, host), address);
    const refreshed = await refreshAt(address, body.refresh_token);
    assert.deepEqual([refreshed.status, refreshed.body.error], [400, 'invalid_grant']);
    const silent = await browser.open(authorizeAt(address, { prompt: 'none' }));
    assert.equal(returned(silent.url)['error'], 'login_required');
    const again = await exchangeAt(address, await signInAt(address, both));
    assert.equal(await organizationIn(address, again.body), second);
  });
});

describe('a custom domain of an organization', () => {
  test('is proven by one of several that claim it at once; the others are refused', async () => {
    const organizations = await Promise.all([newOrganization(), newOrganization(), newOrganization()]);
    const host = newHost();
    const claims = await Promise.all(
      organizations.map(async (id) => (await admin(`organizations/${id}/custom-domains`, 'POST', { host })).body),
    );
    const [{ verification }] = claims;
    dns.zone.set(
      verification.name,
      [claims.map((claim) => claim.verification.value)].flat().map((value) => [value]),
    );
    const verified = await Promise.all(claims.map(({ id }) => admin(`domains/${id}/verify`, 'POST', {})));
    assert.deepEqual(verified.map(({ status }) => status).sort(), [200, 409, 409]);
    const { body } = await admin(`organizations/${organizations[0]}/custom-domains`);
    assert.equal(body.items[0].organizationId, organizations[0]);
  });

  test('is not taken from the project, another organization or another project', async () => {
    const [id, host] = [await newOrganization(), newHost()];
    await addressOf(await newOrganization(), host);
    expectProblem(await admin(`organizations/${id}/custom-domains`, 'POST', { host }), 409, 'ALREADY_EXISTS');
    expectProblem(await admin('domains', 'POST', { host }), 409, 'ALREADY_EXISTS');
    const theirs = as(await tenantManagementToken(latchkey, await createTenant(latchkey, 'hosts')), '/v1/admin/');
    expectProblem(await theirs('domains', 'POST', { host }), 409, 'ALREADY_EXISTS');
    expectProblem(await theirs(`organizations/${id}/custom-domains`), 404, 'NOT_FOUND');
    expectProblem(await theirs(`organizations/${id}/custom-domains`, 'POST', { host }), 404, 'NOT_FOUND');
  });

  test('serves nothing but signing in, and there are three at most', async () => {
    const id = await newOrganization();
    const hosts = [newHost(), newHost(), newHost()];
    for (const host of hosts) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const added = await admin(`organizations/${id}/custom-domains`, 'POST', { host });
      assert.equal(added.status, 201);
    }
    expectProblem(await admin(`organizations/${id}/custom-domains`, 'POST', { host: newHost() }), 409, 'CONFLICT');
    const { body } = await admin(`organizations/${id}/custom-domains`);
    const [project] = latchkey.demo.projects;
    const binding = { projectId: project?.id, environment: 'test', purpose: 'api' };
    const bound = await admin(`domains/${body.items[0].id}/bindings`, 'POST', binding);
    expectProblem(bound, 403, 'CONTEXT_NOT_ALLOWED');
  });

  test('is managed by owners; it names the organization in events and in its audit log', async () => {
    const owner = await register(latchkey);
    const { body: own } = await latchkey.api('/v1/me/organizations', {
      token: owner.access_token,
      body: { name: 'Acme' },
    });
    const mine = as(owner.access_token, `/v1/me/organizations/${own.id}/custom-domains`);
    const other = await newOrganization();
    await addressOf(other);
    const { body: theirs } = await admin(`organizations/${other}/custom-domains`);
    const [host, foreign] = [newHost(), theirs.items[0]];
    const { body: domain, status } = await mine('', 'POST', { host });
    assert.deepEqual([status, domain.organizationId, domain.status], [201, own.id, 'pending']);
    publish(domain);
    assert.equal((await mine(`/${domain.id}/verify`, 'POST', {})).body.status, 'verified');
    assert.deepEqual(
      (await mine('')).body.items.map(({ id }: { id: string }) => id),
      [domain.id],
    );
    for (const [method, path] of [
      ['GET', `/${foreign.id}`],
      ['DELETE', `/${foreign.id}`],
      ['POST', `/${foreign.id}/verify`],
    ] as const) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const unknown = await mine(path, method);
      expectProblem(unknown, 404, 'NOT_FOUND');
    }
    expectProblem(await mine('', 'POST', { host: foreign.host }), 409, 'ALREADY_EXISTS');
    const member = await newMember(own.id, ['admin']);
    const theirsToo = as(member.access_token, `/v1/me/organizations/${own.id}/custom-domains`);
    expectProblem(await theirsToo('', 'POST', { host: newHost() }), 403, 'AUTHORIZATION_DENIED');
    assert.equal((await mine(`/${domain.id}`, 'DELETE')).status, 204);
    const { rows } = await latchkey.system.pool.query(
      `select type from events where data->>'organizationId' = $1 and type like 'domain.%' order by id`,
      [own.id],
    );
    const types = rows.map(({ type }) => type);
    assert.deepEqual(types, ['domain.created', 'domain.verified', 'domain.bound', 'domain.deleted']);
  });
});
