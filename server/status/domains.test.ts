// biome-ignore-all lint/performance/noAwaitInLoops: requests one after the other

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { callAt, fetchHere, startDns, type TestDns } from '#tests/domains.ts';
import {
  eventually,
  expectProblem,
  lastMessage,
  newEmail,
  PASSWORD,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { browserFor } from '#tests/oidc.ts';
import { createTenant, type Tenant, tenantManagementToken } from '#tests/tenants.ts';
import { seedComponents } from './components.ts';

/** A team with the page of its project at a domain. `origin`: of the domain. */
type Team = { tenant: Tenant; token: string; host: string; origin: string; domainId: string; slug: string };

let latchkey: TestLatchkey;
let dns: TestDns;
let shop: Team;
let bank: Team;
before(async () => {
  dns = await startDns();
  latchkey = await startTestLatchkey({ settings: { LATCHKEY_DNS_SERVERS: dns.address } });
  await seedComponents(latchkey.system);
  [shop, bank] = [await team('shop'), await team('bank')];
});
after(async () => {
  await latchkey.stop();
  dns.stop();
});

type Options = { method?: string; body?: unknown };
const admin = (token: string, path: string, options: Options = {}): Promise<TestResponse> =>
  latchkey.api(`/v1/admin${path}`, { token, ...options });

const put = (token: string, body: unknown) => admin(token, '/status/page', { method: 'PUT', body });

/** Adds a host to a project and verifies it. */
async function verified(token: string, host: string): Promise<string> {
  const { body } = await admin(token, '/domains', { body: { host } });
  dns.zone.set(body.verification.name, [[body.verification.value]]);
  const response = await admin(token, `/domains/${body.id}/verify`, { body: {} });
  assert.equal(response.status, 200, response.text);
  return body.id;
}

const bind = ({ scope }: Tenant, token: string, { id, purpose = 'status' }: { id: string; purpose?: string }) =>
  admin(token, `/domains/${id}/bindings`, { body: { projectId: scope.projectId, environment: 'test', purpose } });

async function team(name: string): Promise<Team> {
  const tenant = await createTenant(latchkey, name);
  const token = await tenantManagementToken(latchkey, tenant);
  const { body: page } = await put(token, { published: true });
  const incident = { title: `Trouble of ${name}`, severity: 'major', body: 'We look into it.' };
  assert.equal((await admin(token, '/status/incidents', { body: incident })).status, 201);
  const host = `status.${name}.example`;
  const domainId = await verified(token, host);
  const bound = await bind(tenant, token, { id: domainId });
  assert.equal(bound.status, 201, bound.text);
  return { tenant, token, host, origin: bound.body.address, domainId, slug: page.address };
}

const at = ({ origin }: Team, path: string, call: Parameters<typeof callAt>[2] = {}) =>
  callAt(latchkey, origin + path, call);

const PATHS = [
  '/',
  '/status',
  '/status/incidents',
  '/status/calendar',
  '/status/embed',
  '/status/subscribe',
  '/status/manage',
  '/api/status/summary',
  '/api/status/incidents',
  '/api/status/history.rss',
  '/api/status/badge.svg',
  '/api/v2/summary.json',
];

describe('the domain of a status page', () => {
  test('shows the page of its project at the paths of the installation, and no other page', async () => {
    for (const path of PATHS) {
      const { status, text } = await at(shop, path);
      assert.equal(status, 200, path);
      assert.doesNotMatch(text, /Trouble of bank|\/status\/p\//, path);
    }
    const home = await at(shop, '/');
    assert.match(home.text, /Trouble of shop/);
    const links = [...home.text.matchAll(/(?:href|action)="(\/[^"]*)"/g)].map(([, link = '']) => link);
    for (const link of new Set(links)) {
      const { status } = await at(shop, link.replaceAll('&amp;', '&'));
      assert.equal(status, 200, link);
    }
    assert.match((await at(bank, '/')).text, /Trouble of bank/);
    assert.match((await at(shop, '/api/status/history.rss')).text, new RegExp(`${shop.origin}/status/incidents/inc_`));
    assert.match(
      (await latchkey.console(`/status/p/${shop.slug}`)).text,
      new RegExp(`/status/p/${shop.slug}/incidents`),
    );
    const { body } = await admin(shop.token, '/status/page');
    assert.deepEqual([body.address, body.domainUrl], [shop.slug, `${shop.origin}/`]);
  });

  test('answers nothing else, and no other host answers as it', async () => {
    const others = [
      '/console',
      '/console/v1/me',
      '/dev/inbox',
      '/v1/admin/status/page',
      '/v1/auth/register',
      '/connect/authorize',
      '/account',
      '/openapi.json',
      '/reference',
      `/status/p/${shop.slug}`,
      `/status/p/${bank.slug}/api/status/summary`,
      '/api/status/heartbeats/x',
      '/.well-known/openid-configuration',
    ];
    for (const path of others) assert.equal((await at(shop, path)).status, 404, path);
    for (const kind of ['auth', 'api'] as const) {
      const { port } = new URL(latchkey.system.config.addresses.test[kind]);
      assert.equal((await callAt(latchkey, `http://${shop.host}:${port}/api/status/summary`)).status, 421, kind);
    }
    const { port } = new URL(shop.origin);
    for (const host of ['unknown.example', `x.${shop.host}`, `${shop.host}.evil.example`])
      assert.equal((await callAt(latchkey, `http://${host}:${port}/`)).status, 421, host);
    const forwarded = await latchkey.console('/', { headers: { 'x-forwarded-host': bank.host } });
    assert.match(forwarded.text, /Trouble of bank/, 'a trusted proxy names the host');
  });

  test('serves either a status page or something else, also if both are bound at once', async () => {
    const { tenant, token, domainId } = shop;
    expectProblem(await bind(tenant, token, { id: domainId, purpose: 'auth' }), 409, 'CONFLICT');
    expectProblem(await bind(tenant, token, { id: domainId }), 409, 'ALREADY_EXISTS');
    const id = await verified(token, 'both.shop.example');
    const responses = await Promise.all(
      ['auth', 'status', 'auth', 'status'].map((purpose) => bind(tenant, token, { id, purpose })),
    );
    assert.equal(responses.filter(({ status }) => status === 201).length, 1);
    expectProblem(await bind(bank.tenant, bank.token, { id }), 404, 'NOT_FOUND');
  });

  test('serves nothing while the page is hidden, and stops once it is unbound or no longer verified', async () => {
    const gone = await team('gone');
    await put(gone.token, { published: false });
    for (const path of PATHS) assert.equal((await at(gone, path)).status, 404, path);
    await put(gone.token, { published: true });
    assert.equal((await at(gone, '/')).status, 200);
    await admin(gone.token, `/domains/${gone.domainId}/bindings?purpose=status`, { method: 'DELETE' });
    await eventually(async () => assert.equal((await at(gone, '/')).status, 421));
    assert.equal((await admin(gone.token, '/status/page')).body.domainUrl, null);
    assert.equal((await bind(gone.tenant, gone.token, { id: gone.domainId })).status, 201);
    await eventually(async () => assert.equal((await at(gone, '/')).status, 200));
    await admin(gone.token, `/domains/${gone.domainId}`, { method: 'DELETE' });
    await eventually(async () => assert.equal((await at(gone, '/')).status, 421));
    expectProblem(
      await latchkey.api('/v1/admin/domains', {
        token: gone.token,
        body: { host: new URL(latchkey.system.config.addresses.status).hostname },
      }),
      400,
      'VALIDATION_FAILED',
    );
  });

  test('is where messages lead, and takes only links of its own subscribers', async () => {
    const email = newEmail();
    const asked = await at(shop, '/api/status/subscribe', { body: { channel: 'email', email } });
    assert.equal(asked.status, 202, asked.text);
    const token = await eventually(async () => {
      const found = /confirm\?token=([\w.-]+)/.exec((await lastMessage(latchkey, email)).text)?.[1];
      assert.ok(found);
      return found;
    });
    const foreign = await at(bank, `/status/confirm?token=${token}`);
    assert.equal(foreign.status, 400);
    assert.doesNotMatch(foreign.text, /shop/);
    const confirmed = await at(shop, `/status/confirm?token=${token}`, { body: new URLSearchParams() });
    assert.equal(confirmed.status, 200);
    await admin(shop.token, '/status/incidents', { body: { title: 'Told', severity: 'minor', body: 'x' } });
    await eventually(async () => {
      const { subject, text } = await lastMessage(latchkey, email);
      assert.match(subject, /Told/);
      assert.match(text, new RegExp(`${shop.origin}/status/incidents/inc_`));
    });
  });

  test('lets members in to a page for members, with cookies of its own', async () => {
    const club = await team('club');
    await put(club.token, { published: true, audience: 'members' });
    assert.equal((await at(club, '/api/status/summary')).status, 404);
    const { console: installation, test: hosts } = latchkey.system.config.addresses;
    const browser = browserFor([club.origin, shop.origin, installation, hosts.auth], fetchHere());
    const question = await browser.open(`${club.origin}/status/incidents`);
    assert.doesNotMatch(question.text, /Trouble/);
    const page = await browser.submit(question, { identifier: club.tenant.owner, password: PASSWORD });
    assert.equal(page.url, `${club.origin}/status/incidents`);
    assert.match(page.text, /Trouble of club/);
    // The host in the way back must be one of the page's own.
    const challenge = 'A'.repeat(43);
    for (const host of [shop.host, 'evil.example', new URL(installation).hostname]) {
      const { status } = await browser.open(`${hosts.auth}/account/status/${club.slug}/${challenge}/${host}`);
      assert.equal(status, 404, host);
    }
    await admin(club.token, `/domains/${club.domainId}/bindings?purpose=status`, { method: 'DELETE' });
    const unbound = await browser.open(`${hosts.auth}/account/status/${club.slug}/${challenge}/${club.host}`);
    assert.equal(unbound.status, 404);
  });
});
