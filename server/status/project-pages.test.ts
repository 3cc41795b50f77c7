// biome-ignore-all lint/performance/noAwaitInLoops: requests one after the other

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  eventually,
  expectProblem,
  lastMessage,
  mailedCode,
  managementToken,
  newEmail,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { createTenant, type Tenant, tenantManagementToken } from '#tests/tenants.ts';
import { seedComponents } from './components.ts';
import { ProjectMonitor } from './project-monitor.ts';
import { pageRemovals } from './removals.ts';
import { heedArrivals } from './suspensions.ts';

/** A team with the page of its project. `base`: the path of the page. */
type Team = { tenant: Tenant; token: string; base: string; componentId: string };
type Options = { method?: 'PUT' | 'PATCH' | 'DELETE'; body?: unknown };

const clock = new TestClock();
let latchkey: TestLatchkey;
let shop: Team;
let bank: Team;
let keeper: string;

before(async () => {
  latchkey = await startTestLatchkey({ clock });
  await seedComponents(latchkey.system);
  keeper = await managementToken(latchkey);
  [shop, bank] = [await team('shop'), await team('bank')];
});
after(() => latchkey.stop());

const admin = (token: string, path: string, options: Options = {}): Promise<TestResponse> =>
  latchkey.api(`/v1/admin/status${path}`, { token, ...options });

const put = (token: string, body: unknown) => admin(token, '/page', { method: 'PUT', body });

const made = async (token: string, path: string, body: unknown): Promise<TestResponse['body']> => {
  const response = await admin(token, path, { body });
  assert.equal(response.status, 201, response.text);
  return response.body;
};

async function team(name: string): Promise<Team> {
  const tenant = await createTenant(latchkey, name);
  const token = await tenantManagementToken(latchkey, tenant);
  const { body } = await put(token, { published: true });
  const [group] = (await admin(token, '/groups')).body.items;
  const check = { kind: 'manual' };
  const component = await made(token, '/components', { name: `Checkout of ${name}`, groupId: group.id, check });
  return { tenant, token, base: new URL(body.url).pathname, componentId: component.id };
}

const incidentOf = ({ token, componentId }: Team, title: string) =>
  made(token, '/incidents', { title, severity: 'major', body: 'We look into it.', componentIds: [componentId] });

/** The token of the newest link mailed to an address. */
async function linkedToken(email: string): Promise<string> {
  const token = /token=([\w.-]+)/.exec((await lastMessage(latchkey, email)).text)?.[1];
  assert.ok(token);
  return token;
}

async function subscribe({ base }: Team, email = newEmail()): Promise<string> {
  const asked = await latchkey.console(`${base}/api/status/subscribe`, { body: { channel: 'email', email } });
  assert.equal(asked.status, 202, asked.text);
  const token = await eventually(() => linkedToken(email));
  const confirmed = await latchkey.console(`/status/confirm?token=${token}`, { body: new URLSearchParams() });
  assert.equal(confirmed.status, 200);
  return email;
}

describe('the page of a project', () => {
  test('is made by the first PUT, and nothing of it is there before', async () => {
    const tenant = await createTenant(latchkey, 'late');
    const token = await tenantManagementToken(latchkey, tenant);
    const nothing = { address: null, url: null, domainUrl: null };
    const none = { kind: 'project', published: false, audience: 'public', ...nothing };
    assert.deepEqual((await admin(token, '/page')).body, none);
    for (const path of ['/components', '/groups', '/incidents', '/maintenances', '/templates', '/subscribers'])
      expectProblem(await admin(token, path), 404, 'NOT_FOUND');
    const [one, other] = await Promise.all([put(token, { published: false }), put(token, { published: false })]);
    assert.equal(one.body.address, other.body.address);
    assert.match(one.body.address, /^late-project-[0-9a-f]{10}$/);
    assert.equal((await admin(token, '/groups')).body.items.length, 1);
    await put(token, { published: true });
    const home = await latchkey.console(`/status/p/${one.body.address}`);
    assert.deepEqual([home.status, /Systems|Uptime =|Only for some systems/.test(home.text)], [200, false]);
  });

  test('shows its components, incidents and maintenances in every format, and no other page does', async () => {
    await incidentOf(shop, 'The basket is empty');
    await made(shop.token, '/maintenances', {
      title: 'New shelves',
      body: 'Soon.',
      componentIds: [shop.componentId],
      beginsAt: new Date(clock.now().getTime() + 3_600_000).toISOString(),
      endsAt: new Date(clock.now().getTime() + 7_200_000).toISOString(),
    });
    const paths = [
      '',
      '/incidents',
      '/calendar',
      '/api/status/summary',
      '/api/status/incidents',
      '/api/status/history.rss',
      '/api/status/history.atom',
      '/api/status/history.json',
      '/api/v2/summary.json',
      '/api/v2/incidents.json',
    ];
    for (const path of paths) {
      const own = await latchkey.console(shop.base + path);
      assert.equal(own.status, 200, path);
      assert.match(own.text, /The basket is empty/, path);
      const other = await latchkey.console(bank.base + path);
      assert.equal(other.status, 200, path);
      assert.doesNotMatch(other.text, /basket|shelves|Checkout of shop/, path);
      const installation = await latchkey.console(
        `${path.startsWith('/api') ? path : `/status${path}`}?environment=test`,
      );
      assert.doesNotMatch(installation.text, /basket|shelves|Checkout of/, path);
    }
    const home = await latchkey.console(shop.base);
    assert.match(home.text, /Checkout of shop/);
    assert.match(home.text, /shop project/);
    // Every link of the page stays on it, but those to its confirmation pages.
    const links = [...home.text.matchAll(/(?:href|action)="(\/[^"]*)"/g)].map(([, link = '']) => link);
    assert.deepEqual(
      links.filter((link) => !link.startsWith(shop.base)),
      [],
    );
    assert.match((await latchkey.console(`${shop.base}/api/status/badge.svg`)).text, /partial outage/);
    assert.match((await latchkey.console(`${bank.base}/api/status/badge.svg`)).text, /operational/);
    assert.match((await latchkey.console(`${shop.base}/embed`)).text, new RegExp(shop.base));
  });

  test('answers 304, and what changed at once', async () => {
    const first = await latchkey.console(`${bank.base}/api/status/summary`);
    const etag = first.headers.get('etag') ?? '';
    const again = await latchkey.console(`${bank.base}/api/status/summary`, { headers: { 'if-none-match': etag } });
    assert.equal(again.status, 304);
    const { id } = await incidentOf(bank, 'The vault is open');
    const changed = await latchkey.console(`${bank.base}/api/status/summary`, { headers: { 'if-none-match': etag } });
    assert.equal(changed.body.overallStatus, 'degraded');
    assert.equal(changed.body.incidents[0].title, 'The vault is open');
    await made(bank.token, `/incidents/${id}/updates`, { phase: 'resolved', body: 'Closed.' });
    const { body } = await latchkey.console(`${bank.base}/api/status/summary`);
    assert.equal(body.overallStatus, 'operational');
  });

  test('is the same as an unknown one while it is hidden, and comes back with everything', async () => {
    const unknown = await latchkey.console('/status/p/shop-project-0123456789');
    await put(bank.token, { published: false });
    for (const path of ['', '/incidents', '/api/status/summary', '/api/status/history.rss', '/subscribe', '/manage']) {
      const hidden = await latchkey.console(bank.base + path);
      assert.equal(hidden.status, 404, path);
      if (path === '') assert.deepEqual(hidden.body.detail, unknown.body.detail);
    }
    const body = { channel: 'email', email: newEmail() };
    expectProblem(await latchkey.console(`${bank.base}/api/status/subscribe`, { body }), 404, 'NOT_FOUND');
    assert.equal((await admin(bank.token, '/components')).body.items.length, 1);
    await put(bank.token, { published: true });
    assert.equal((await latchkey.console(bank.base)).status, 200);
  });

  test('moves to an address of another word, and the old one ends', async () => {
    const other = await team('mover');
    const { body } = await put(other.token, { published: true, address: 'moved' });
    assert.match(body.address, /^moved-[0-9a-f]{10}$/);
    assert.equal((await latchkey.console(other.base)).status, 404);
    assert.equal((await latchkey.console(new URL(body.url).pathname)).status, 200);
    assert.equal((await put(other.token, { published: true, address: 'moved' })).body.address, body.address);
    expectProblem(await put(other.token, { published: true, address: '../x' }), 400, 'VALIDATION_FAILED');
  });

  test('has at most fifty components, also if they are made at once', async () => {
    const full = await team('full');
    const [group] = (await admin(full.token, '/groups')).body.items;
    const body = { name: 'One of many', groupId: group.id, check: { kind: 'manual' } };
    const responses = await Promise.all(Array.from({ length: 60 }, () => admin(full.token, '/components', { body })));
    const refused = responses.filter(({ status }) => status !== 201);
    assert.equal(refused.length, 11);
    for (const response of refused) expectProblem(response, 409, 'CONFLICT');
    const [{ id }] = (await admin(full.token, '/components')).body.items;
    assert.equal((await admin(full.token, `/components/${id}`, { method: 'DELETE' })).status, 204);
    assert.equal((await admin(full.token, '/components', { body })).status, 201);
  });

  test('is that of the installation for the default project, which cannot hide it', async () => {
    const { body } = await admin(keeper, '/page');
    assert.deepEqual([body.kind, body.published, body.address], ['installation', true, null]);
    expectProblem(await put(keeper, { published: false }), 409, 'CONFLICT');
  });
});

describe('records of another page', () => {
  test('cannot be read, changed, removed or named', async () => {
    const incident = await incidentOf(shop, 'Only of the shop');
    const draft = await made(shop.token, '/incidents', { title: 'Draft', severity: 'minor', body: 'x', draft: true });
    const [group] = (await admin(shop.token, '/groups')).body.items;
    const template = await made(shop.token, '/templates', { kind: 'incident', name: 'T', title: 'T', body: 'T' });
    const email = await subscribe(shop);
    const [subscriber] = (await admin(shop.token, '/subscribers')).body.items;
    assert.equal(subscriber.address, email);
    const times = { beginsAt: '2100-01-01T00:00:00Z', endsAt: '2100-01-01T01:00:00Z' };
    const plan = { title: 'P', body: 'P', ...times };
    const maintenance = await made(shop.token, '/maintenances', { ...plan, componentIds: [] });
    for (const token of [bank.token, keeper]) {
      const paths = [
        `/incidents/${incident.id}`,
        `/components/${shop.componentId}`,
        `/groups/${group.id}`,
        `/templates/${template.id}`,
        `/maintenances/${maintenance.id}`,
        `/subscribers/${subscriber.id}`,
      ];
      for (const path of paths) expectProblem(await admin(token, path), 404, 'NOT_FOUND');
      const changes: [string, Options][] = [
        [`/incidents/${incident.id}`, { method: 'PATCH', body: { title: 'taken' } }],
        [`/incidents/${incident.id}/updates`, { body: { phase: 'resolved', body: 'taken' } }],
        [`/incidents/${draft.id}`, { method: 'DELETE' }],
        [`/components/${shop.componentId}`, { method: 'PATCH', body: { name: 'taken' } }],
        [`/components/${shop.componentId}`, { method: 'DELETE' }],
        [`/groups/${group.id}`, { method: 'PATCH', body: { name: 'taken' } }],
        [`/groups/${group.id}`, { method: 'DELETE' }],
        [`/templates/${template.id}`, { method: 'PATCH', body: { name: 'taken' } }],
        [`/templates/${template.id}`, { method: 'DELETE' }],
        [`/maintenances/${maintenance.id}`, { method: 'PATCH', body: { title: 'taken' } }],
        [`/maintenances/${maintenance.id}`, { method: 'DELETE' }],
        [`/subscribers/${subscriber.id}`, { method: 'DELETE' }],
      ];
      for (const [path, options] of changes) expectProblem(await admin(token, path, options), 404, 'NOT_FOUND');
      const named: [string, unknown][] = [
        ['/incidents', { title: 'x', severity: 'minor', body: 'x', componentIds: [shop.componentId] }],
        ['/maintenances', { ...plan, componentIds: [shop.componentId] }],
        ['/components', { name: 'x', groupId: group.id, check: { kind: 'manual' } }],
      ];
      for (const [path, body] of named) expectProblem(await admin(token, path, { body }), 400, 'VALIDATION_FAILED');
    }
    expectProblem(await admin(shop.token, '/components/auth'), 404, 'NOT_FOUND');
    assert.equal((await admin(shop.token, `/incidents/${incident.id}`)).body.title, 'Only of the shop');
    const foreign = { channel: 'email', email: newEmail(), componentIds: [shop.componentId] };
    expectProblem(
      await latchkey.console(`${bank.base}/api/status/subscribe`, { body: foreign }),
      400,
      'VALIDATION_FAILED',
    );
    assert.equal((await latchkey.console(`${bank.base}/incidents/${incident.id}`)).status, 404);
    assert.equal((await latchkey.console(`${bank.base}/calendar?component=${shop.componentId}`)).status, 404);
  });
});

describe('subscribers of the page of a project', () => {
  test('are told of its incidents only, and end one subscription without the other', async () => {
    const email = newEmail();
    await subscribe(shop, email);
    await subscribe(bank, email);
    await incidentOf(bank, 'Only the bank');
    const told = await eventually(async () => {
      const message = await lastMessage(latchkey, email);
      assert.match(message.subject, /Only the bank/);
      return message;
    });
    assert.ok(told.text.includes(bank.base) && !told.text.includes(shop.base), told.text);
    const token = /unsubscribe\?token=([\w.-]+)/.exec(told.text)?.[1] ?? '';
    const ended = await latchkey.console(`/status/unsubscribe?token=${token}`, { body: new URLSearchParams() });
    assert.equal(ended.status, 200);
    assert.match(ended.text, /bank project/);
    const states = async ({ token: of }: Team) =>
      (await admin(of, '/subscribers')).body.items.filter(({ address }: { address: string }) => address === email)
        .length;
    assert.deepEqual([await states(shop), await states(bank)], [1, 0]);
  });

  test('a token or code of one page opens nothing on another', async () => {
    const email = await subscribe(shop);
    const path = /name="id" value="(\w+)"/;
    const asked = await latchkey.console(`${shop.base}/manage`, { body: new URLSearchParams({ email }) });
    const id = path.exec(asked.text)?.[1] ?? '';
    const code = await eventually(() => mailedCode(latchkey, email));
    const elsewhere = await latchkey.console(`${bank.base}/manage/code`, { body: new URLSearchParams({ id, code }) });
    assert.equal(elsewhere.status, 400);
    const opened = await latchkey.console(`${shop.base}/manage/code`, { body: new URLSearchParams({ id, code }) });
    assert.equal(opened.status, 200);
    assert.match(opened.text, /Checkout of shop/);
    const token = /name="token" value="([^"]+)"/.exec(opened.text)?.[1] ?? '';
    const bankKey = `${bank.tenant.scope.projectId}-test`;
    const forged = [bankKey, ...token.split('.').slice(1)].join('.');
    const saved = await latchkey.console(`${shop.base}/manage/save`, { body: new URLSearchParams({ token: forged }) });
    assert.equal(saved.status, 400);
  });

  test('a refused mail suspends the subscription of its project only', async () => {
    const email = newEmail();
    await subscribe(shop, email);
    await subscribe(bank, email);
    await heedArrivals(latchkey.system)({ scope: shop.tenant.scope, channel: 'email', recipient: email }, 'refused');
    const stateOf = async ({ token }: Team) =>
      (await admin(token, '/subscribers')).body.items.find(({ address }: { address: string }) => address === email)
        ?.state;
    assert.deepEqual([await stateOf(shop), await stateOf(bank)], ['quarantined', 'active']);
  });

  test('a hidden page tells nobody', async () => {
    const team3 = await team('quiet');
    const email = await subscribe(team3);
    await put(team3.token, { published: false });
    await incidentOf(team3, 'Nobody hears this');
    assert.equal((await admin(team3.token, '/subscribers/count')).body.count, 0);
    const { rows } = await latchkey.system.pool.query('select id from status_notices where workspace_id = $1', [
      team3.tenant.scope.workspaceId,
    ]);
    assert.deepEqual(rows, []);
    assert.doesNotMatch((await lastMessage(latchkey, email)).subject, /Nobody hears/);
  });
});

describe('the leader', () => {
  test('starts maintenances, counts each minute once, and refuses too short an interval', async () => {
    const busy = await team('busy');
    const [group] = (await admin(busy.token, '/groups')).body.items;
    const check = { kind: 'heartbeat', intervalSeconds: 60 };
    const short = { name: 'x', groupId: group.id, check: { kind: 'heartbeat', intervalSeconds: 30 } };
    expectProblem(await admin(busy.token, '/components', { body: short }), 400, 'VALIDATION_FAILED');
    const beating = await made(busy.token, '/components', { name: 'Beats', groupId: group.id, check });
    const beat = new URL(beating.heartbeatUrl).pathname;
    assert.equal((await latchkey.console(beat, { body: {} })).status, 204);
    const maintenance = await made(busy.token, '/maintenances', {
      title: 'Now',
      body: 'x',
      componentIds: [busy.componentId],
      beginsAt: new Date(clock.now().getTime() + 60_000).toISOString(),
      endsAt: new Date(clock.now().getTime() + 86_400_000).toISOString(),
      remindMinutes: 0,
    });
    for (let round = 0; round < 3; round += 1) {
      clock.advance(200_000);
      // A monitor of its own: each has checked nothing yet.
      const monitor = new ProjectMonitor(latchkey.system);
      await monitor.round();
      await monitor.round();
    }
    const phase = (await admin(busy.token, `/maintenances/${maintenance.id}`)).body.phase;
    assert.equal(phase, 'in_progress');
    const { body } = await latchkey.console(`${busy.base}/api/status/summary`);
    const known = body.groups[0].components.map(({ id, status }: { id: string; status: string }) => [id, status]);
    assert.ok(
      known.some(([id, status]: [string, string]) => id === busy.componentId && status === 'under_maintenance'),
    );
    const { rows } = await latchkey.system.pool.query(
      'select sum(maintenance)::int as minutes from status_days where component_id = $1',
      [busy.componentId],
    );
    assert.equal(rows[0].minutes, 3, 'once a minute, however often the leader looks');
  });
});

test('the rows of a removed project go, and those of another page stay', async () => {
  const gone = await team('gone');
  await incidentOf(gone, 'Gone');
  await subscribe(gone);
  const { workspaceId, projectId } = gone.tenant.scope;
  const left = async (key: string) => {
    const counts = await Promise.all(
      pageRemovals.flatMap(({ tables }) =>
        tables.map(async (table) => {
          const { rows } = await latchkey.system.pool.query(
            `select count(*)::int as count from ${table} where environment = $1`,
            [key],
          );
          return rows[0].count;
        }),
      ),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  };
  assert.ok((await left(`${projectId}-test`)) > 5);
  const others = await left(`${shop.tenant.scope.projectId}-test`);
  await latchkey.inProject(async (tx) => {
    for (const { remove } of pageRemovals) await remove(tx, { workspaceId, projectId }, 1_000);
  });
  assert.equal(await left(`${projectId}-test`), 0);
  assert.equal(await left(`${shop.tenant.scope.projectId}-test`), others);
  assert.ok((await left('test')) > 0);
});
