import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { framedCookieOptions } from '#platform/cookies.ts';
import {
  expectProblem,
  lastMessage,
  managementToken,
  newEmail,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';
import { browserOf } from '#tests/oidc.ts';
import { type Customer, newCustomer, opened, openLink } from '#tests/setup-links.ts';
import { eraseAddresses } from './setup-links.ts';

const clock = new TestClock();
let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
});
after(() => latchkey.stop());

const CLOSED = /This page is closed/;
const DAY_MS = 86_400_000;
const RETURN = 'http://localhost:5173/settings';

describe('a set-up link', () => {
  test('is made with its tasks, mailed, listed without its secret, and revoked', async () => {
    const customer = await newCustomer(latchkey);
    const email = newEmail();
    const link = { tasks: ['domains', 'team'], roles: ['admin'], email, locale: 'de', returnUrl: RETURN };
    const made = await customer.makeLink(link);
    assert.equal(made.status, 201, made.text);
    const { url, ...record } = made.body;
    const { id, madeBy, createdAt, expiresAt, ...rest } = record;
    assert.deepEqual(rest, {
      organizationId: customer.organizationId,
      frameOrigin: null,
      status: 'active',
      openedAt: null,
      completedAt: null,
      ...link,
    });
    assert.match(madeBy, /^usr_/);
    assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 7 * DAY_MS);
    const mail = await lastMessage(latchkey, email);
    assert.match(mail.subject, /Acme/);
    assert.ok(mail.text.includes(url), mail.text);
    const read = await customer.admin(`/setup-links/${id}`);
    assert.deepEqual(read.body, record);
    assert.deepEqual((await customer.admin('/setup-links')).body.items, [record]);
    assert.equal((await customer.admin(`/setup-links/${id}`, 'DELETE')).status, 204);
    assert.equal((await customer.admin(`/setup-links/${id}`)).body.status, 'revoked');
    assert.match((await browserOf(latchkey).open(url)).text, CLOSED);
  });

  test('needs the permissions of its tasks, and returns only to addresses of the project’s applications', async () => {
    const customer = await newCustomer(latchkey);
    const token = await managementToken(latchkey, 'organizations:write organizations:read');
    const path = `/v1/admin/organizations/${customer.organizationId}/setup-links`;
    for (const task of ['connection', 'team']) {
      // biome-ignore lint/performance/noAwaitInLoops: names the task that fails
      const refused = await latchkey.api(path, { token, body: { tasks: [task] } });
      expectProblem(refused, 403, 'AUTHORIZATION_DENIED');
    }
    assert.equal((await latchkey.api(path, { token, body: { tasks: ['domains', 'directory'] } })).status, 201);
    for (const wrong of [
      { returnUrl: 'https://elsewhere.example/' },
      { frameOrigin: 'https://elsewhere.example' },
      { tasks: ['domains'], roles: ['admin'] },
      { roles: ['absent'] },
      { tasks: [] },
      { expiresIn: 31 * 86_400 },
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: names the field that fails
      const refused = await customer.makeLink(wrong);
      expectProblem(refused, 400, 'VALIDATION_FAILED');
    }
  });

  test('is not found through another organization, project or environment', async () => {
    const [customer, other] = [await newCustomer(latchkey), await newCustomer(latchkey)];
    const { body } = await customer.makeLink();
    expectProblem(await other.admin(`/setup-links/${body.id}`), 404, 'NOT_FOUND');
    expectProblem(await other.admin(`/setup-links/${body.id}`, 'DELETE'), 404, 'NOT_FOUND');
    const { test: here, production } = latchkey.system.config.addresses;
    const there = await browserOf(latchkey).open(body.url.replace(here.auth, production.auth));
    assert.match(there.text, CLOSED);
    const changed = body.url.replace(/.$/, (last: string) => (last === 'A' ? 'B' : 'A'));
    for (const url of [changed, `${here.auth}/setup/open?token=x`, `${here.auth}/setup`]) {
      // biome-ignore lint/performance/noAwaitInLoops: names the address that fails
      assert.match((await browserOf(latchkey).open(url)).text, CLOSED, url);
    }
  });

  test('stays usable after it was opened, also in several browsers', async () => {
    const customer = await newCustomer(latchkey);
    const { body } = await customer.makeLink();
    const scanner = browserOf(latchkey);
    assert.match((await scanner.open(body.url)).text, /Set up Acme/);
    assert.equal((await customer.admin(`/setup-links/${body.id}`)).body.openedAt, null);
    assert.equal(scanner.cookies.size, 0, 'a look leaves no cookie');
    const pages = await Promise.all([browserOf(latchkey), browserOf(latchkey)].map((one) => opened(one, body.url)));
    for (const page of pages) assert.match(page.text, /Set up your organization/);
    assert.notEqual((await customer.admin(`/setup-links/${body.id}`)).body.openedAt, null);
  });

  const ENDS = {
    'is revoked': (customer: Customer, id: string) => customer.admin(`/setup-links/${id}`, 'DELETE'),
    'belongs to a blocked organization': (customer: Customer) => customer.admin('/block', 'POST'),
    'belongs to a deleted organization': (customer: Customer) => customer.admin('', 'DELETE'),
  };
  for (const [what, end] of Object.entries(ENDS))
    test(`ends its visits when it ${what}`, async () => {
      const customer = await newCustomer(latchkey);
      const { page, made, browser } = await openLink(latchkey, customer);
      const domains = await page('/domains');
      assert.match(domains.text, /Add a domain/);
      await end(customer, made.id);
      assert.match((await browser.submit(domains, { host: 'late.example' }, '/domains')).text, CLOSED);
      assert.match((await page()).text, CLOSED);
      assert.match((await browserOf(latchkey).open(made.url)).text, CLOSED);
      const { rows } = await latchkey.system.pool.query(
        'select 1 from organization_domains where organization_id = $1',
        [customer.organizationId],
      );
      assert.deepEqual(rows, []);
    });

  test('ends its visits when it expires, however active they are', async () => {
    const { page, made } = await openLink(latchkey, await newCustomer(latchkey), { expiresIn: 3_600 });
    clock.advance(20 * 60_000);
    assert.match((await page()).text, /Overview/);
    clock.advance(20 * 60_000);
    assert.match((await page()).text, /Overview/);
    clock.advance(21 * 60_000);
    assert.match((await page()).text, CLOSED);
    assert.match((await browserOf(latchkey).open(made.url)).text, CLOSED);
  });

  test('is idle for at most half an hour, and is left', async () => {
    const customer = await newCustomer(latchkey);
    const { page, browser, overview, made } = await openLink(latchkey, customer);
    assert.match((await browser.submit(overview, {}, '/leave')).text, CLOSED);
    assert.match((await opened(browser, made.url)).text, /Overview/);
    clock.advance(31 * 60_000);
    assert.match((await page()).text, CLOSED);
  });

  test('loses the rights that its maker loses', async () => {
    const customer = await newCustomer(latchkey);
    const permissions = ['organizations:write', 'organizations:read', 'invitations:write'];
    const role = await customer.call('roles', 'POST', { key: `maker-${Date.now()}`, name: 'Maker', permissions });
    const maker = await register(latchkey, { profile: { displayName: 'Grace' } });
    const members = await customer.call(`members?q=${encodeURIComponent(maker.email)}`);
    await customer.call(`members/${members.body.items[0].id}/roles`, 'PUT', { roles: [role.body.key] });
    const path = `/v1/admin/organizations/${customer.organizationId}/setup-links`;
    const body = { tasks: ['domains', 'team'] };
    const made = await latchkey.api(path, { token: maker.access_token, body });
    assert.equal(made.status, 201, made.text);
    const browser = browserOf(latchkey);
    assert.match((await browser.open(made.body.url)).text, /made by Grace/);
    assert.match((await opened(browser, made.body.url)).text, /href="\/setup\/team"/);
    const { auth } = latchkey.system.config.addresses.test;
    await customer.call(`roles/${role.body.id}/permissions`, 'PUT', { permissions: ['organizations:write'] });
    const fewer = await browser.open(`${auth}/setup`);
    assert.match(fewer.text, /href="\/setup\/domains"/);
    assert.doesNotMatch(fewer.text, /href="\/setup\/team"/);
    await customer.call(`roles/${role.body.id}/permissions`, 'PUT', { permissions: [] });
    assert.match((await browser.open(`${auth}/setup`)).text, CLOSED);
  });

  test('is made by owners of the organization for what they may do there', async () => {
    const customer = await newCustomer(latchkey);
    const owner = await register(latchkey);
    const members = await customer.call(`members?q=${encodeURIComponent(owner.email)}`);
    const memberId = members.body.items[0].id;
    const path = `/v1/me/organizations/${customer.organizationId}/setup-links`;
    const token = owner.access_token;
    expectProblem(await latchkey.api(path, { token }), 404, 'NOT_FOUND');
    await customer.admin('/members', 'POST', { memberId, roles: ['admin'] });
    expectProblem(await latchkey.api(path, { token }), 403, 'AUTHORIZATION_DENIED');
    await customer.admin(`/members/${memberId}/roles`, 'PUT', { roles: ['owner'] });
    for (const task of ['connection', 'directory', 'policies']) {
      // biome-ignore lint/performance/noAwaitInLoops: names the task that fails
      const refused = await latchkey.api(path, { token, body: { tasks: [task] } });
      expectProblem(refused, 403, 'AUTHORIZATION_DENIED');
    }
    const made = await latchkey.api(path, { token, body: { tasks: ['domains', 'team'], roles: ['admin'] } });
    assert.equal(made.status, 201, made.text);
    const overview = await opened(browserOf(latchkey), made.body.url);
    assert.match(overview.text, /href="\/setup\/team"/);
    assert.equal((await latchkey.api(`${path}/${made.body.id}`, { token })).body.madeBy, owner.session.userId);
    const { body } = await latchkey.api(path, { token });
    assert.deepEqual([body.items.length, body.items[0].openedAt === null], [1, false]);
    const removed = await latchkey.api(`${path}/${made.body.id}`, { token, method: 'DELETE' });
    assert.equal(removed.status, 204, removed.text);
  });

  test('is opened at most thirty times in ten minutes', async () => {
    const customer = await newCustomer(latchkey);
    const { body } = await customer.makeLink({ tasks: ['domains'] });
    const token = new URL(body.url).searchParams.get('token') ?? '';
    const statuses = await Promise.all(
      Array.from({ length: 32 }, async () => {
        const form = new URLSearchParams({ token });
        return (await latchkey.auth('/setup/open', { method: 'POST', body: form })).status;
      }),
    );
    assert.deepEqual(
      [statuses.filter((one) => one === 303).length, statuses.filter((one) => one === 429).length],
      [30, 2],
    );
  });

  test('has a cookie for frames of one other site alone, on https', () => {
    const common = { path: '/', httpOnly: true };
    assert.deepEqual(framedCookieOptions({ url: 'https://auth.example.com' }), {
      ...common,
      secure: true,
      sameSite: 'none',
      partitioned: true,
    });
    assert.deepEqual(framedCookieOptions({ url: 'http://localhost:4100' }), {
      ...common,
      secure: false,
      sameSite: 'lax',
      partitioned: false,
    });
  });

  test('loses its address with the account of the person', async () => {
    const customer = await newCustomer(latchkey);
    const person = await register(latchkey);
    const { body } = await customer.makeLink({ tasks: ['domains'], email: person.email });
    assert.equal((await customer.admin(`/setup-links/${body.id}`)).body.email, person.email);
    await latchkey.inProject((tx) => eraseAddresses(tx, person.session.userId));
    assert.equal((await customer.admin(`/setup-links/${body.id}`)).body.email, null);
  });
});
