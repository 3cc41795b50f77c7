// biome-ignore-all lint/performance/noAwaitInLoops: requests one after the other

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { accountPageId } from '#applications';
import { closePlace } from '#tenancy';
import {
  eventually,
  expectProblem,
  lastMessage,
  newEmail,
  PASSWORD,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { type Browser, browserOf } from '#tests/oidc.ts';
import { startReceiver } from '#tests/receiver.ts';
import { createTenant, staffProject, type Tenant, tenantManagementToken } from '#tests/tenants.ts';
import { seedComponents } from './components.ts';

/** A team whose page is for its members. `home`: the address of the page, `base` its path. */
type Team = { tenant: Tenant; token: string; home: string; base: string; componentId: string };
type Options = { method?: 'PUT' | 'PATCH' | 'DELETE'; body?: unknown };
type Page = Awaited<ReturnType<Browser['open']>>;

const clock = new TestClock();
let latchkey: TestLatchkey;
let shop: Team;
let bank: Team;

before(async () => {
  latchkey = await startTestLatchkey({ clock });
  await seedComponents(latchkey.system);
});
after(() => latchkey.stop());

let count = 0;
beforeEach(async () => {
  count += 1;
  [shop, bank] = [await team(`shop${count}`), await team(`bank${count}`)];
});

const admin = (token: string, path: string, options: Options = {}): Promise<TestResponse> =>
  latchkey.api(`/v1/admin${path}`, { token, ...options });

const put = (token: string, body: unknown) => admin(token, '/status/page', { method: 'PUT', body });

async function team(name: string): Promise<Team> {
  const tenant = await createTenant(latchkey, name);
  const token = await tenantManagementToken(latchkey, tenant);
  const { body } = await put(token, { published: true, audience: 'members' });
  assert.equal(body.audience, 'members');
  const [group] = (await admin(token, '/status/groups')).body.items;
  const component = { name: `Checkout of ${name}`, groupId: group.id, check: { kind: 'manual' } };
  const { body: made } = await admin(token, '/status/components', { body: component });
  return { tenant, token, home: body.url, base: new URL(body.url).pathname, componentId: made.id };
}

const incidentOf = async ({ token, componentId }: Team, title: string) => {
  const body = { title, severity: 'major', body: 'We look into it.', componentIds: [componentId] };
  const response = await admin(token, '/status/incidents', { body });
  assert.equal(response.status, 201, response.text);
  return response.body;
};

/** Adds a member who can sign in with the password. */
async function addMember({ token }: Team, roles: string[] = ['viewer']): Promise<{ id: string; email: string }> {
  const email = newEmail();
  const body = { email, emailVerified: true, password: PASSWORD, roles };
  const response = await admin(token, '/members', { body });
  assert.equal(response.status, 201, response.text);
  return { id: response.body.id, email };
}

async function visit(
  team: Team,
  email: string,
  browser = browserOf(latchkey),
): Promise<{ browser: Browser; page: Page }> {
  const question = await browser.open(team.home);
  const page = await browser.submit(question, { identifier: email, password: PASSWORD });
  return { browser, page };
}

const cookiesOf = ({ cookies }: Browser): string =>
  [...(cookies.get('/') ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');

/** A request of the browser's, without following redirects. */
const asked = (browser: Browser, path: string, init: { body?: unknown; headers?: Record<string, string> } = {}) =>
  latchkey.console(path, { ...init, headers: { cookie: cookiesOf(browser), ...init.headers } });

const PROGRAMS = [
  '/api/status/summary',
  '/api/status/incidents',
  '/api/status/history.rss',
  '/api/status/history.atom',
  '/api/status/history.json',
  '/api/status/badge.svg',
  '/api/v2/summary.json',
  '/api/v2/incidents.json',
  '/embed',
];
const PEOPLE = ['', '/incidents', '/calendar', '/subscribe', '/manage'];

describe('a page for members', () => {
  test('answers programs without a sign-in as an unknown page does', async () => {
    await incidentOf(shop, 'The basket is empty');
    const unknown = await latchkey.console('/status/p/shop-project-0123456789/api/status/summary');
    for (const path of PROGRAMS) {
      const response = await latchkey.console(shop.base + path);
      expectProblem(response, 404, 'NOT_FOUND');
      assert.equal(response.body.detail, unknown.body.detail, path);
      assert.deepEqual(
        [...response.headers.keys()].filter((name) => !/date|correlation|trace/.test(name)).sort(),
        [...unknown.headers.keys()].filter((name) => !/date|correlation|trace/.test(name)).sort(),
      );
    }
    const body = { channel: 'email', email: newEmail() };
    expectProblem(await latchkey.console(`${shop.base}/api/status/subscribe`, { body }), 404, 'NOT_FOUND');
  });

  test('sends people to the sign-in of its project, and shows them the page they wanted', async () => {
    const { id } = await incidentOf(shop, 'The basket is empty');
    for (const path of [...PEOPLE, `/incidents/${id}`, '/incidents/inc_00000000000000000000000000']) {
      const response = await fetch(`${latchkey.system.config.addresses.console}${shop.base}${path}`, {
        redirect: 'manual',
      });
      assert.equal(response.status, 303, path);
      assert.match(response.headers.get('location') ?? '', /\/account\/status\//);
      assert.equal(response.headers.get('cache-control'), 'no-store');
      assert.equal(await response.text(), '');
    }
    const { email } = await addMember(shop);
    const browser = browserOf(latchkey);
    const question = await browser.open(`${shop.home}/incidents/${id}?lang=ar`);
    assert.doesNotMatch(question.text, /basket/);
    const page = await browser.submit(question, { identifier: email, password: PASSWORD });
    assert.equal(page.url, `${shop.home}/incidents/${id}?lang=ar`);
    assert.match(page.text, /The basket is empty/);
    assert.match(page.text, /dir="rtl"/);
    for (const path of [...PEOPLE, ...PROGRAMS]) {
      const response = await asked(browser, shop.base + path, { headers: { 'if-none-match': '*' } });
      assert.equal(response.status, 200, path);
      assert.match(response.headers.get('cache-control') ?? '', /no-store/, path);
      assert.equal(response.headers.get('etag'), null, path);
      assert.equal(response.headers.get('access-control-allow-origin'), null, path);
    }
    assert.equal((await asked(browser, `${shop.base}/embed`)).headers.get('x-robots-tag'), 'noindex');
  });

  test('is not shown to a member of another project, nor to one without this membership', async () => {
    const mine = await visit(shop, (await addMember(shop)).email);
    assert.match(mine.page.text, /Checkout of shop/);
    assert.equal((await asked(mine.browser, `${bank.base}/api/status/summary`)).status, 404);
    // The cookie of one page under the name of another.
    const [[, value] = []] = [...(mine.browser.cookies.get('/') ?? [])].filter(([name]) => /status-visitor/.test(name));
    const forged = `latchkey-status-visitor-${bank.base.slice('/status/p/'.length)}=${value}`;
    assert.equal(
      (await latchkey.console(`${bank.base}/api/status/summary`, { headers: { cookie: forged } })).status,
      404,
    );
    const stranger = await mine.browser.open(bank.home);
    assert.doesNotMatch(stranger.text, /Checkout of bank/);
    assert.match(stranger.text, /<form/);
  });

  test('is not shown with a session in another project of its workspace', async () => {
    const [second, one] = latchkey.demo.projects;
    assert.ok(one && second);
    const staff = await staffProject(latchkey, one.id, `first${count}`);
    const stranger = await staffProject(latchkey, second.id, `second${count}`);
    const token = await tenantManagementToken(latchkey, staff);
    const { body } = await put(token, { published: true, audience: 'members' });
    const browser = browserOf(latchkey);
    const account = `${latchkey.system.config.addresses.test.auth}/account?clientId=${accountPageId(stranger.scope)}`;
    const signedIn = await browser.submit(await browser.open(account), {
      identifier: stranger.owner,
      password: PASSWORD,
    });
    assert.equal(signedIn.status, 200);
    const page = await browser.open(body.url);
    assert.notEqual(page.url, body.url);
    assert.equal((await asked(browser, `${new URL(body.url).pathname}/api/status/summary`)).status, 404);
  });

  test('closes with the session, a block, the removal of the member and of the project, at once', async () => {
    const summary = `${shop.base}/api/status/summary`;
    const { id, email } = await addMember(shop);
    const { browser } = await visit(shop, email);
    assert.equal((await asked(browser, summary)).status, 200);
    await admin(shop.token, `/members/${id}/block`, { body: {} });
    assert.equal((await asked(browser, summary)).status, 404);
    assert.doesNotMatch((await browser.open(shop.home)).text, /Checkout/);
    await admin(shop.token, `/members/${id}/unblock`, { body: {} });
    assert.equal((await asked(browser, summary)).status, 404, 'a session that ended stays ended');

    const second = await visit(shop, email);
    assert.equal((await asked(second.browser, summary)).status, 200);
    const account = await second.browser.open(`${latchkey.system.config.addresses.test.auth}/account`);
    await second.browser.submit(account, {}, '/sign-out');
    assert.equal((await asked(second.browser, summary)).status, 404);

    const third = await visit(shop, email);
    await admin(shop.token, `/members/${id}`, { method: 'DELETE' });
    assert.equal((await asked(third.browser, summary)).status, 404);

    const other = await visit(bank, (await addMember(bank)).email);
    assert.equal((await asked(other.browser, `${bank.base}/api/status/summary`)).status, 200);
    await latchkey.inProject((tx) => closePlace(tx, bank.tenant.scope.projectId), bank.tenant.scope);
    await eventually(async () =>
      assert.equal((await asked(other.browser, `${bank.base}/api/status/summary`)).status, 404),
    );
  });

  test('lets in nobody with the code of another browser, of another page, or a spent one', async () => {
    const { email } = await addMember(shop);
    const { browser } = await visit(shop, email);
    const slug = shop.base.slice('/status/p/'.length);
    const challenge = 'A'.repeat(43);
    // The victim's browser is led to bring its session to an attacker's browser.
    const handed = await latchkey.auth(`/account/status/${slug}/${challenge}`, {
      headers: { cookie: cookiesOf(browser) },
    });
    assert.equal(handed.status, 303);
    const arrival = new URL(handed.headers.get('location') ?? '');
    assert.equal(arrival.origin + arrival.pathname, `${shop.home}/enter`);
    const attacker = browserOf(latchkey);
    await attacker.open(shop.home);
    const path = arrival.pathname + arrival.search;
    expectProblem(await asked(attacker, path), 400, 'INVALID_TOKEN');
    expectProblem(await latchkey.console(path), 400, 'INVALID_TOKEN');
    assert.equal((await asked(attacker, `${shop.base}/api/status/summary`)).status, 404);
    expectProblem(
      await asked(attacker, arrival.pathname.replace(slug, bank.base.slice(10)) + arrival.search),
      400,
      'INVALID_TOKEN',
    );
    for (const wrong of [`/account/status/${slug}/x`, `/account/status/nothing-0123456789/${challenge}`])
      assert.ok((await latchkey.auth(wrong)).status >= 400);
    assert.equal(
      (await fetch(`${latchkey.system.config.addresses.production.auth}/account/status/${slug}/${challenge}`)).status,
      404,
    );
  });

  test('stays closed when an old client publishes it, and to processes of the version before', async () => {
    await put(shop.token, { published: false });
    const { body } = await put(shop.token, { published: true });
    assert.deepEqual([body.published, body.audience], [true, 'members']);
    const { rows } = await latchkey.system.pool.query(
      'select published, audience from status_boards where environment = $1',
      [`${shop.tenant.scope.projectId}-test`],
    );
    assert.deepEqual(rows, [{ published: false, audience: 'members' }]);
    await assert.rejects(
      latchkey.system.pool.query('update status_boards set published = true where environment = $1', [
        `${shop.tenant.scope.projectId}-test`,
      ]),
      /status_boards_members_unpublished/,
    );
    await put(shop.token, { published: true, audience: 'public' });
    assert.equal((await latchkey.console(shop.base)).status, 200);
    await Promise.all([
      put(shop.token, { published: true, audience: 'members' }),
      put(shop.token, { published: true }),
      put(shop.token, { published: true }),
    ]);
    assert.equal((await latchkey.console(`${shop.base}/api/status/summary`)).status, 404);
    await put(shop.token, { published: false });
    const { browser } = await visit(bank, (await addMember(bank)).email);
    assert.equal((await asked(browser, shop.base)).status, 404);
  });
});

describe('subscribers of a page for members', () => {
  const subscribe = (browser: Browser, { base }: Team, body: unknown, headers = {}) =>
    asked(browser, `${base}/api/status/subscribe`, { body, headers });

  const confirm = async (email: string) => {
    const token = await eventually(async () => {
      const found = /token=([\w.-]+)/.exec((await lastMessage(latchkey, email)).text)?.[1];
      assert.ok(found);
      return found;
    });
    const response = await latchkey.console(`/status/confirm?token=${token}`, { body: new URLSearchParams() });
    assert.equal(response.status, 200);
    assert.doesNotMatch(response.text, /Checkout/);
  };

  const expectTold = (email: string, title: string) =>
    eventually(async () => assert.match((await lastMessage(latchkey, email)).subject, new RegExp(title)));

  test('are members, with addresses of their own', async () => {
    const { email } = await addMember(shop);
    const { browser } = await visit(shop, email);
    clock.advance(700_000);
    const foreign = await subscribe(browser, shop, { channel: 'email', email: newEmail() });
    expectProblem(foreign, 400, 'VALIDATION_FAILED');
    const form = await browser.open(`${shop.home}/subscribe?lang=de`);
    const refused = await browser.submit(form, { address: newEmail() }, '?lang=de');
    assert.match(refused.text, /Adresse Ihres Kontos/);
    const own = await subscribe(browser, shop, { channel: 'email', email });
    assert.equal(own.status, 202, own.text);
    const other = await subscribe(browser, shop, { channel: 'email', email }, { origin: 'https://evil.example' });
    expectProblem(other, 403, 'ORIGIN_NOT_ALLOWED');
    await confirm(email);
    await incidentOf(shop, 'Told to members');
    await expectTold(email, 'Told to members');
  });

  test('are told nothing once they are no members, and everything again when they are', async () => {
    const { id, email } = await addMember(shop);
    const stays = await addMember(shop);
    const receiver = await startReceiver();
    for (const one of [email, stays.email]) {
      clock.advance(700_000);
      const { browser } = await visit(shop, one);
      await subscribe(browser, shop, { channel: 'email', email: one });
      await confirm(one);
    }
    clock.advance(700_000);
    const { browser } = await visit(shop, email);
    const hook = await subscribe(browser, shop, { channel: 'webhook', url: `${receiver.origin}/hook` });
    assert.equal(hook.status, 202, hook.text);
    await eventually(async () => assert.equal(receiver.received.length, 1));
    await latchkey.system.pool.query(
      `update status_subscribers set state = 'active' where channel = 'webhook' and workspace_id = $1`,
      [shop.tenant.scope.workspaceId],
    );
    assert.equal((await admin(shop.token, '/status/subscribers/count')).body.count, 3);
    await admin(shop.token, `/members/${id}/block`, { body: {} });
    assert.equal((await admin(shop.token, '/status/subscribers/count')).body.count, 1);
    await incidentOf(shop, 'After the block');
    await expectTold(stays.email, 'After the block');
    assert.doesNotMatch((await lastMessage(latchkey, email)).subject, /After the block/);
    await admin(shop.token, `/members/${id}/unblock`, { body: {} });
    await incidentOf(shop, 'After the return');
    await expectTold(email, 'After the return');
    await eventually(async () => assert.equal(receiver.received.length, 2));
    assert.doesNotMatch(JSON.stringify(receiver.received), /After the block/);
    await receiver.stop();
  });

  test('of the time when it was public are told only if they are members', async () => {
    await put(shop.token, { published: true, audience: 'public' });
    const { email } = await addMember(shop);
    const stranger = newEmail();
    for (const one of [email, stranger]) {
      clock.advance(700_000);
      await latchkey.console(`${shop.base}/api/status/subscribe`, { body: { channel: 'email', email: one } });
      await confirm(one);
    }
    assert.equal((await admin(shop.token, '/status/subscribers/count')).body.count, 2);
    await put(shop.token, { published: true, audience: 'members' });
    assert.equal((await admin(shop.token, '/status/subscribers/count')).body.count, 1);
    const draft = { kind: 'incident', title: 'T', body: 'T', phase: 'identified', severity: 'minor' };
    assert.equal((await admin(shop.token, '/status/preview', { body: draft })).body.count, 1);
    await incidentOf(shop, 'For members now');
    await expectTold(email, 'For members now');
    assert.doesNotMatch((await lastMessage(latchkey, stranger)).subject, /For members/);
    await put(shop.token, { published: true, audience: 'public' });
    await incidentOf(shop, 'For all again');
    await expectTold(stranger, 'For all again');
  });

  test('a link of before shows nothing of the page, and a token opens no other page', async () => {
    const { email } = await addMember(shop);
    const { browser } = await visit(shop, email);
    clock.advance(700_000);
    await subscribe(browser, shop, { channel: 'email', email });
    await confirm(email);
    const manage = await asked(browser, `${shop.base}/manage`, { body: new URLSearchParams({ email }) });
    const id = /name="id" value="(\w+)"/.exec(manage.text)?.[1] ?? '';
    const code = await eventually(async () => {
      const found = /\n {4}(\d{8})\n/.exec((await lastMessage(latchkey, email)).text)?.[1];
      assert.ok(found);
      return found;
    });
    const opened = await asked(browser, `${shop.base}/manage/code`, { body: new URLSearchParams({ id, code }) });
    assert.match(opened.text, /Checkout of shop/);
    const token = /name="token" value="([^"]+)"/.exec(opened.text)?.[1] ?? '';
    await put(bank.token, { published: true, audience: 'public' });
    for (const place of ['/status/manage/save', `${bank.base}/manage/save`]) {
      const saved = await latchkey.console(place, { body: new URLSearchParams({ token }) });
      assert.equal(saved.status, 400, place);
      assert.doesNotMatch(saved.text, /Checkout of shop/);
    }
    const end = /action="(\/status\/unsubscribe[^"]+)"/.exec(opened.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const ended = await latchkey.console(end, { body: new URLSearchParams() });
    assert.equal(ended.status, 200);
    assert.doesNotMatch(ended.text, /Checkout/);
  });
});
