import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { effectiveSettings } from '#settings';
import { visitorOf } from '#tests/account.ts';
import {
  changeSettings,
  expectProblem,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';
import { browserOf } from '#tests/oidc.ts';
import { type Customer, newCustomer, opened, openLink } from '#tests/setup-links.ts';
import { digestOf } from './visit.ts';

const clock = new TestClock();
let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
});
after(() => latchkey.stop());
let customer: Customer;
beforeEach(async () => {
  await selfService('connections', 'directory', 'policy');
  customer = await newCustomer(latchkey);
});

const selfService = (...areas: string[]) => changeSettings(latchkey, { organizationSelfService: areas });
const CLOSED = /This page is closed/;
const OIDC = { issuer: 'https://login.example.com', clientId: 'lk' };

/** Each area: its task of set-up links, its permissions in the organization, a read and a change. */
const AREAS = {
  connections: {
    task: 'connection',
    permission: 'org.connections',
    read: '/connections',
    change: ['/connections', 'POST', { name: 'IdP', oidc: OIDC }, 201],
  },
  directory: {
    task: 'directory',
    permission: 'org.directory',
    read: '/scim/tokens',
    change: ['/scim/tokens', 'POST', { name: 'Entra ID' }, 201],
  },
  policy: {
    task: 'policies',
    permission: 'org.policy',
    read: '/policy',
    change: ['/policy', 'PATCH', { sessionIdleSeconds: 600 }, 200],
  },
} as const;
const areas = Object.entries(AREAS);
const others = (area: string) => Object.keys(AREAS).filter((other) => other !== area);

/** A person with roles in the organization, and their requests to it. */
async function member(roles: string[] | null = ['owner'], { organizationId, call, admin } = customer) {
  const person = await register(latchkey);
  const { body } = await call(`members?q=${encodeURIComponent(person.email)}`);
  const memberId: string = body.items[0].id;
  if (roles) await admin('/members', 'POST', { memberId, roles });
  const token = person.access_token;
  return {
    memberId,
    person,
    userId: person.session.userId,
    token,
    mine: (below: string, method = 'GET', sent?: unknown, id = organizationId) =>
      latchkey.api(`/v1/me/organizations/${id}${below}`, { token, method, ...(sent !== undefined && { body: sent }) }),
  };
}
type Member = Awaited<ReturnType<typeof member>>;

const makeLink = ({ mine }: Member, tasks: string[]) => mine('/setup-links', 'POST', { tasks });

describe('what members manage in their organization', () => {
  for (const [area, { task, permission, read, change }] of areas) {
    const [path, method, sent, status] = change;

    test(`${area}: owners read and change it, and make links for it, only while the setting has it`, async () => {
      await selfService(...others(area));
      const owner = await member();
      expectProblem(await owner.mine(read), 403, 'AUTHORIZATION_DENIED');
      const refused = await owner.mine(path, method, sent);
      expectProblem(refused, 403, 'AUTHORIZATION_DENIED');
      assert.match(refused.body.detail, /organizationSelfService/);
      expectProblem(await makeLink(owner, [task]), 403, 'AUTHORIZATION_DENIED');
      await selfService(area);
      assert.equal((await owner.mine(read)).status, 200);
      const changed = await owner.mine(path, method, sent);
      assert.equal(changed.status, status, changed.text);
      const made = await makeLink(owner, [task]);
      assert.equal(made.status, 201, made.text);
      const browser = browserOf(latchkey);
      assert.match((await opened(browser, made.body.url)).text, new RegExp(`href="/setup/${task}"`));
      const audit = await owner.mine('/audit-events');
      const [last] = audit.body.items.filter((entry: { action: string }) => !/setup_link/.test(entry.action));
      assert.deepEqual([last.actor.kind, last.actor.userId], ['customer', owner.userId]);
    });

    test(`${area}: takes its permission in the organization`, async () => {
      const reader = await member(['admin']);
      assert.equal((await reader.mine(read)).status, 200, 'admins read');
      const refused = await reader.mine(path, method, sent);
      expectProblem(refused, 403, 'AUTHORIZATION_DENIED');
      assert.equal(refused.body.requiredPermission, `${permission}:write`);
      const plain = await member([]);
      expectProblem(await plain.mine(read), 403, 'AUTHORIZATION_DENIED');
      const key = `only-${area}-${Date.now()}`;
      await customer.call('organization-roles', 'POST', { key, name: key, permissions: [`${permission}:write`] });
      const writer = await member([key]);
      assert.equal((await writer.mine(path, method, sent)).status, status);
    });

    test(`${area}: is not reached from another organization, or while the organization is blocked`, async () => {
      const [owner, outsider] = [await member(), await member(null)];
      const other = await newCustomer(latchkey);
      for (const [who, id] of [
        [outsider, customer.organizationId],
        [owner, other.organizationId],
      ] as const) {
        // biome-ignore lint/performance/noAwaitInLoops: names who is let in
        expectProblem(await who.mine(read, 'GET', undefined, id), 404, 'NOT_FOUND');
        expectProblem(await who.mine(path, method, sent, id), 404, 'NOT_FOUND');
      }
      await customer.admin('/block', 'POST');
      expectProblem(await owner.mine(read), 403, 'ORGANIZATION_BLOCKED');
      expectProblem(await owner.mine(path, method, sent), 403, 'ORGANIZATION_BLOCKED');
    });

    test(`${area}: an open link loses it when the setting does, also for a form that is shown already`, async () => {
      const owner = await member();
      const { body } = await makeLink(owner, [task, 'team']);
      const browser = browserOf(latchkey);
      await opened(browser, body.url);
      const { auth } = latchkey.system.config.addresses.test;
      const shown = await browser.open(`${auth}/setup/${task}`);
      await selfService(...others(area));
      const overview = await browser.open(`${auth}/setup`);
      assert.doesNotMatch(overview.text, new RegExp(`href="/setup/${task}"`));
      assert.match((await browser.open(`${auth}/setup/${task}`)).text, /This link does not allow that/);
      if (area !== 'connections') {
        const late = await browser.submit(shown, { name: 'late', idle: '900' }, `/setup/${task}`);
        assert.match(late.text, /This link does not allow that/);
      }
      assert.deepEqual((await customer.admin('/scim/tokens')).body.items, []);
      assert.equal((await customer.admin('/policy')).body.sessionIdleSeconds, null);
      const only = await makeLink(owner, ['team']);
      assert.equal(only.status, 201);
    });

    test(`${area}: takes a fresh proof`, async () => {
      const owner = await member();
      clock.advance(11 * 60_000);
      expectProblem(await owner.mine(path, method, sent), 401, 'REAUTHENTICATION_REQUIRED');
      assert.equal((await owner.mine(read)).status, 200);
    });
  }

  test('is nothing by default', () => {
    for (const environment of ['test', 'production'] as const)
      assert.deepEqual(effectiveSettings(environment, {}).organizationSelfService, []);
  });

  test('the account page leads an owner to the pages of everything they may set up, and nobody else', async () => {
    await selfService('connections');
    const owner = await member();
    const { browser, page } = await visitorOf(latchkey, '/memberships', owner.person);
    const asked = await browser.submit(page, {}, '/set-up');
    assert.match(asked.text, /Set up Acme/);
    const overview = await browser.submit(asked, {}, '/setup/open');
    const offered = [...overview.text.matchAll(/href="\/setup\/(\w+)"/g)].map(([, task]) => task);
    assert.deepEqual([...new Set(offered)].sort(), ['connection', 'domains', 'finish', 'team']);
    const [link] = (await owner.mine('/setup-links')).body.items;
    assert.deepEqual([link.tasks, link.madeBy], [['domains', 'connection', 'team'], owner.userId]);
    assert.equal(Date.parse(link.expiresAt) - Date.parse(link.createdAt), 3_600_000);
    const admin = await member(['admin']);
    const other = await visitorOf(latchkey, '/memberships', admin.person);
    assert.doesNotMatch(other.page.text, /set-up/);
    const forged = { ...page, text: page.text };
    const refused = await other.browser.submit(forged, {}, '/set-up');
    assert.doesNotMatch(refused.text, /Set up Acme/);
    await customer.admin('/block', 'POST');
    const closed = await browser.open(page.url);
    assert.doesNotMatch(closed.text, /set-up/);
  });

  test('a link ends when its maker is no longer an owner', async () => {
    const owner = await member();
    const { body } = await makeLink(owner, ['connection', 'team']);
    await customer.admin(`/members/${(await member()).memberId}/roles`, 'PUT', { roles: ['owner'] });
    await customer.admin(`/members/${owner.memberId}/roles`, 'PUT', { roles: ['admin'] });
    assert.match((await browserOf(latchkey).open(body.url)).text, CLOSED);
  });

  test('a link whose only task was switched off is closed', async () => {
    const owner = await member();
    const { body } = await makeLink(owner, ['connection']);
    await selfService();
    assert.match((await browserOf(latchkey).open(body.url)).text, CLOSED);
  });

  test('an owner connects by a link, and a connection gives no role that its maker may not give', async () => {
    await customer.call('permissions', 'POST', { key: 'orders:refund', description: 'Refund' });
    await customer.call('organization-roles', 'POST', {
      key: 'refunds',
      name: 'Refunds',
      permissions: ['orders:refund'],
    });
    const owner = await member();
    const { body } = await makeLink(owner, ['connection']);
    const browser = browserOf(latchkey);
    await opened(browser, body.url);
    const { auth } = latchkey.system.config.addresses.test;
    const guide = await browser.open(`${auth}/setup/connection/new/oidc`);
    const saved = await browser.submit(guide, { name: 'IdP', ...OIDC }, '/new/oidc');
    assert.match(saved.text, /Your change has been saved/);
    const { items } = (await owner.mine('/connections')).body;
    assert.deepEqual([items[0].name, items[0].status], ['IdP', 'disabled']);
    const one = `/connections/${items[0].id}`;
    const excess = await owner.mine(one, 'PATCH', { roles: ['refunds'] });
    expectProblem(excess, 403, 'AUTHORIZATION_DENIED');
    assert.equal(excess.body.requiredPermission, 'orders:refund');
    const allowed = await owner.mine(one, 'PATCH', { roles: ['admin'], name: 'Acme' });
    assert.deepEqual([allowed.status, allowed.body.roles, allowed.body.name], [200, ['admin'], 'Acme']);
    assert.equal((await owner.mine(one)).body.name, 'Acme');
    await customer.admin(one, 'PATCH', { roles: ['refunds'] });
    expectProblem(await owner.mine(one, 'DELETE'), 403, 'AUTHORIZATION_DENIED');
    await customer.admin(one, 'PATCH', { roles: [] });
    assert.equal((await owner.mine(one, 'DELETE')).status, 204);
  });

  test('a connection is tested, and a test sign-in is started and read', async () => {
    const [owner, reader] = [await member(), await member(['admin'])];
    const { id } = (await owner.mine('/connections', 'POST', { name: 'IdP', oidc: OIDC })).body;
    const tested = await owner.mine(`/connections/${id}/test`, 'POST');
    assert.deepEqual([tested.status, tested.body.ok], [200, false], tested.text);
    expectProblem(await reader.mine(`/connections/${id}/test`, 'POST'), 403, 'AUTHORIZATION_DENIED');
    const started = await owner.mine(`/connections/${id}/test-sign-ins`, 'POST');
    assert.equal(started.status, 201, started.text);
    const path = `/connections/${id}/test-sign-ins/${started.body.id}`;
    assert.equal((await owner.mine(path)).body.outcome, null);
    expectProblem(await reader.mine(path), 403, 'AUTHORIZATION_DENIED');
  });

  test('a SCIM token works, is listed without itself, and is removed; the log shows its requests', async () => {
    const owner = await member();
    const { token, ...record } = (await owner.mine('/scim/tokens', 'POST', { name: 'Okta' })).body;
    const sent = { token, method: 'POST', body: { userName: 'ada' } };
    assert.equal((await latchkey.api('/scim/v2/Users', sent)).status, 201);
    const listed = (await owner.mine('/scim/tokens')).body.items;
    assert.deepEqual([listed.length, listed[0].id, listed[0].token], [1, record.id, undefined]);
    assert.equal((await owner.mine('/scim/log')).body.items[0].name, 'ada');
    const one = `/scim/tokens/${record.id}`;
    assert.equal((await owner.mine(one)).body.name, 'Okta');
    assert.equal((await owner.mine(one, 'DELETE')).status, 204);
    assert.equal((await latchkey.api('/scim/v2/Users', { token })).status, 401);
  });
});

test('owners choose the roles of directory groups, and nobody those beyond their own', async () => {
  const group = await customer.admin('/scim/tokens', 'POST', { name: 'Entra ID' });
  const added = await latchkey.api('/scim/v2/Groups', {
    token: group.body.token,
    body: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], displayName: 'Finance' },
  });
  assert.equal(added.status, 201, added.text);
  const path = `/scim/groups/${added.body.id}`;
  const owner = await member();
  const given = await owner.mine(`${path}/roles`, 'PUT', { roles: ['admin'] });
  assert.equal(given.status, 200, given.text);
  assert.deepEqual(given.body.roles, ['admin']);
  assert.deepEqual((await owner.mine('/scim/groups')).body.items, [given.body]);
  await customer.call('organization-roles', 'POST', {
    key: 'wire',
    name: 'Wire',
    permissions: ['org.directory:write'],
  });
  const clerk = await member(['wire']);
  for (const roles of [['owner'], []]) {
    // biome-ignore lint/performance/noAwaitInLoops: names the roles that fail
    expectProblem(await clerk.mine(`${path}/roles`, 'PUT', { roles }), 403, 'AUTHORIZATION_DENIED');
  }
  const [outsider, other] = [await member(null), await newCustomer(latchkey)];
  expectProblem(await outsider.mine(path), 404, 'NOT_FOUND');
  const stranger = await member(['owner'], other);
  expectProblem(await stranger.mine(`${path}/roles`, 'PUT', { roles: [] }, other.organizationId), 404, 'NOT_FOUND');
  await selfService('connections', 'policy');
  expectProblem(await owner.mine(`${path}/roles`, 'PUT', { roles: [] }), 403, 'AUTHORIZATION_DENIED');
  expectProblem(await owner.mine('/scim/groups'), 403, 'AUTHORIZATION_DENIED');
  assert.deepEqual((await customer.admin(path)).body.roles, ['admin']);
});

test('the account page leads an owner to the roles of groups; a link gives only its own roles', async () => {
  const { body: issued } = await customer.admin('/scim/tokens', 'POST', { name: 'Entra ID' });
  const { body: group } = await latchkey.api('/scim/v2/Groups', {
    token: issued.token,
    body: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], displayName: '<b>Finance</b>' },
  });
  await customer.call('permissions', 'POST', { key: 'orders:charge', description: 'Charge' });
  await customer.call('organization-roles', 'POST', { key: 'charges', name: 'C', permissions: ['orders:charge'] });
  const rolesNow = async () => (await customer.admin(`/scim/groups/${group.id}`)).body.roles;
  const owner = await member();
  const { browser, page } = await visitorOf(latchkey, '/memberships', owner.person);
  await browser.submit(await browser.submit(page, {}, '/set-up'), {}, '/setup/open');
  const { auth } = latchkey.system.config.addresses.test;
  const path = `/directory/groups/${group.id}`;
  const list = await browser.open(`${auth}/setup/directory`);
  assert.match(list.text, /&lt;b&gt;Finance/);
  assert.ok(list.text.includes(`href="/setup${path}"`));
  const shown = await browser.open(`${auth}/setup${path}`);
  const offered = [...shown.text.matchAll(/name="roles" value="([^"]+)"/g)].map(([, key]) => key);
  assert.ok(offered.includes('admin') && !offered.includes('charges'), offered.join());
  assert.match((await browser.submit(shown, { roles: 'charges' }, path)).text, /This link does not allow that/);
  assert.deepEqual(await rolesNow(), []);
  assert.match((await browser.submit(shown, { roles: 'admin' }, path)).text, /Your change has been saved/);
  assert.deepEqual(await rolesNow(), ['admin']);
  assert.match((await browser.submit(shown, {}, path)).text, /This has changed since you opened the page/);
  const limited = await openLink(latchkey, customer, { tasks: ['directory'], roles: ['admin'] });
  const open = await limited.page(path);
  assert.match((await limited.browser.submit(open, { roles: 'owner' }, path)).text, /This link does not allow that/);
  await customer.admin(`/scim/groups/${group.id}/roles`, 'PUT', { roles: ['charges'] });
  assert.doesNotMatch((await limited.page(path)).text, /name="roles"/);
  const seen = digestOf(['charges']);
  assert.match((await limited.browser.submit(open, { seen }, path)).text, /This link does not allow that/);
  const other = await openLink(latchkey, await newCustomer(latchkey), { tasks: ['directory'], roles: ['admin'] });
  assert.match((await other.page(path)).text, /role="alert"/);
  assert.deepEqual(await rolesNow(), ['charges']);
});
