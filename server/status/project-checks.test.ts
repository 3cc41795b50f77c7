import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, test } from 'node:test';
import { closePlace, restorePlace } from '#tenancy';
import { startChatServices } from '#tests/chat-services.ts';
import {
  eventually,
  expectProblem,
  lastMessage,
  newEmail,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { type Receiver, respondWith, startReceiver } from '#tests/receiver.ts';
import { createTenant, type Tenant, tenantManagementToken } from '#tests/tenants.ts';
import { ProjectMonitor } from './project-monitor.ts';

const MINUTE = 60_000;
const clock = new TestClock();
let latchkey: TestLatchkey;
let receiver: Receiver;
let chats: Awaited<ReturnType<typeof startChatServices>>;
let place = 0;

before(async () => {
  [receiver, chats] = await Promise.all([startReceiver(), startChatServices()]);
  latchkey = await startTestLatchkey({ clock, settings: { LATCHKEY_STATUS_CHAT_HOSTS: chats.hosts } });
});
after(async () => {
  await latchkey.stop();
  await Promise.all([receiver.stop(), chats.stop()]);
});

type Options = { method?: 'PUT' | 'PATCH'; body?: unknown };

/** Time goes on, so each call has a new token. */
const admin = async (tenant: Tenant, path: string, options: Options = {}): Promise<TestResponse> =>
  latchkey.api(`/v1/admin/status${path}`, { token: await tenantManagementToken(latchkey, tenant), ...options });

/** A team whose published page opens incidents automatically. */
async function team(name: string): Promise<{ tenant: Tenant; groupId: string; base: string }> {
  const tenant = await createTenant(latchkey, name);
  const { body } = await admin(tenant, '/page', { method: 'PUT', body: { published: true } });
  await admin(tenant, '/settings', { method: 'PATCH', body: { automatic: 'publish' } });
  const [{ id: groupId }] = (await admin(tenant, '/groups')).body.items;
  return { tenant, groupId, base: new URL(body.url).pathname };
}

async function check({ tenant, groupId }: { tenant: Tenant; groupId: string }, path: string): Promise<string> {
  const { status, body, text } = await admin(tenant, '/components', {
    body: {
      name: path,
      groupId,
      check: {
        kind: 'http',
        url: receiver.origin + path,
        intervalSeconds: 60,
        timeoutSeconds: 10,
        expectedStatus: 200,
      },
    },
  });
  assert.equal(status, 201, text);
  return body.id;
}

const summaryOf = async (base: string) => (await latchkey.console(`${base}/api/status/summary`)).body;

/** Lets a minute pass and the leader look, until `expected` holds. */
const eachMinute = <T>(monitor: ProjectMonitor, expected: () => Promise<T>): Promise<T> =>
  eventually(async () => {
    clock.advance(MINUTE);
    await monitor.round();
    return expected();
  });

test('a failing check opens an incident, and checks of another workspace that hang do not hold it up', async () => {
  const [slow, quick] = [await team('slow'), await team('quick')];
  const held: ServerResponse[] = [];
  for (let index = 0; index < 7; index += 1) {
    receiver.on(`/hangs-${index}`, (response) => held.push(response));
    // biome-ignore lint/performance/noAwaitInLoops: one after the other
    await check(slow, `/hangs-${index}`);
  }
  receiver.on('/broken', respondWith(500));
  const broken = await check(quick, '/broken');
  const monitor = new ProjectMonitor(latchkey.system);
  await monitor.round();
  await eventually(async () => assert.equal(held.length, 5));
  const incident = await eachMinute(monitor, async () => {
    const [first] = (await summaryOf(quick.base)).incidents;
    assert.ok(first);
    return first;
  });
  assert.equal(held.length, 5);
  assert.ok(
    held.every(({ closed }) => !closed),
    'the others still wait for their answers',
  );
  assert.deepEqual([incident.componentIds, incident.phase], [[broken], 'investigating']);
  assert.deepEqual((await summaryOf(slow.base)).incidents, []);

  for (let index = 0; index < 7; index += 1) receiver.on(`/hangs-${index}`, respondWith(200));
  for (const response of held) response.end();
  receiver.on('/broken', respondWith(200));
  await eachMinute(monitor, async () => assert.equal((await summaryOf(quick.base)).overallStatus, 'operational'));
  assert.equal((await admin(quick.tenant, `/incidents/${incident.id}`)).body.phase, 'resolved');
  await monitor.stop();
});

test('what fails on one page holds up no other', async () => {
  const [faulty, fine] = [await team('faulty'), await team('fine')];
  const plan = {
    title: 'Now',
    body: 'x',
    componentIds: [],
    beginsAt: new Date(clock.now().getTime() + MINUTE).toISOString(),
    endsAt: new Date(clock.now().getTime() + 86_400_000).toISOString(),
    remindMinutes: 0,
  };
  const ids: string[] = [];
  for (const { tenant } of [faulty, fine]) {
    // biome-ignore lint/performance/noAwaitInLoops: one after the other
    ids.push((await admin(tenant, '/maintenances', { body: plan })).body.id);
  }
  await latchkey.system.pool.query(`
    create function refuse_maintenance() returns trigger language plpgsql as 'begin raise exception ''refused''; end';
    create trigger refuse_maintenance before update on status_maintenances
      for each row when (old.id = '${ids[0]}') execute function refuse_maintenance()`);
  try {
    const monitor = new ProjectMonitor(latchkey.system);
    await eachMinute(monitor, async () =>
      assert.equal((await admin(fine.tenant, `/maintenances/${ids[1]}`)).body.phase, 'in_progress'),
    );
    await monitor.stop();
  } finally {
    await latchkey.system.pool.query('drop function refuse_maintenance cascade');
  }
  assert.equal((await admin(faulty.tenant, `/maintenances/${ids[0]}`)).body.phase, 'scheduled');
});

test('the page of a deleted project ends at once, is not checked, and comes back', async () => {
  const closed = await team('closed');
  await check(closed, '/closed');
  assert.equal((await latchkey.console(closed.base)).status, 200);
  const email = newEmail();
  const body = { channel: 'email', email };
  assert.equal((await latchkey.console(`${closed.base}/api/status/subscribe`, { body })).status, 202);
  const confirm = await eventually(async () => {
    const link = /\/status\/confirm\?token=[\w.-]+/.exec((await lastMessage(latchkey, email)).text)?.[0];
    assert.ok(link);
    return link;
  });
  const confirmed = async () => (await latchkey.console(confirm, { body: new URLSearchParams() })).status;
  const { projectId } = closed.tenant.scope;
  await latchkey.inProject((tx) => closePlace(tx, projectId), closed.tenant.scope);
  await eventually(async () => assert.equal((await latchkey.console(closed.base)).status, 404));
  assert.deepEqual([(await latchkey.console(confirm)).status, await confirmed()], [400, 400]);
  const monitor = new ProjectMonitor(latchkey.system);
  await monitor.round();
  await monitor.stop();
  assert.deepEqual(receiver.at('/closed'), []);
  await latchkey.inProject((tx) => restorePlace(tx, projectId), closed.tenant.scope);
  await eventually(async () => assert.equal((await latchkey.console(closed.base)).status, 200));
  assert.equal(await confirmed(), 200);
  const next = new ProjectMonitor(latchkey.system);
  await next.round();
  await next.stop();
  assert.equal(receiver.at('/closed').length, 1);
});

test('webhooks and channels of chat services are told of the incidents of their page only', async () => {
  const [own, other] = [await team('told'), await team('untold')];
  const wishes = [
    { channel: 'webhook', url: `${receiver.origin}/hook` },
    { channel: 'slack', url: chats.addressOf('slack', 'project') },
  ];
  const bodies = () => [
    receiver.at('/hook').map(({ body }) => body),
    chats.at('slack', 'project').map(({ body }) => body),
  ];
  for (const [index, body] of wishes.entries()) {
    place += 1;
    const headers = { 'x-forwarded-for': `203.0.113.${place}` };
    // biome-ignore lint/performance/noAwaitInLoops: one after the other
    const asked = await latchkey.console(`${own.base}/api/status/subscribe`, { body, headers });
    assert.equal(asked.status, 202, asked.text);
    const token = await eventually(async () => {
      const found = /confirm\?token=([\w.-]+)/.exec(bodies()[index]?.[0] ?? '')?.[1];
      assert.ok(found);
      return found;
    });
    const confirmed = await latchkey.console(`/status/confirm?token=${token}`, {
      body: new URLSearchParams(),
      headers,
    });
    assert.equal(confirmed.status, 200, confirmed.text);
  }
  const incident = { severity: 'minor', body: 'x', componentIds: [] };
  await admin(other.tenant, '/incidents', { body: { ...incident, title: 'Of the other page' } });
  await admin(own.tenant, '/incidents', { body: { ...incident, title: 'Of this page' } });
  await eventually(async () => {
    for (const of of bodies()) assert.equal(of.length, 2);
  });
  for (const [, told] of bodies())
    assert.ok(told?.includes('Of this page') && told.includes(`${own.base}/incidents/`), told);
});

test('a page has at most 20,000 subscribers, whether they come one by one or are imported', async () => {
  const { tenant, base } = await team('crowded');
  const { workspaceId, projectId, environment } = tenant.scope;
  await latchkey.system.pool.query(
    `insert into status_subscribers (workspace_id, environment, id, channel, address, address_digest, state, component_ids,
       source, consent, created_at, updated_at)
     select $1, $2, 'sub_' || n, 'email', n || '@example.com', sha256(n::text::bytea), 'active', '{}', 'import', 'x', now(), now()
     from generate_series(1, 19999) as n`,
    [workspaceId, `${projectId}-${environment}`],
  );
  const imported = (...names: string[]) =>
    admin(tenant, '/subscribers/import', {
      body: { consent: 'They asked on paper.', subscribers: names.map((name) => ({ email: `${name}@crowd.example` })) },
    });
  expectProblem(await imported('one', 'two'), 409, 'CONFLICT');
  const atOnce = await Promise.all(['one', 'two', 'three', 'four', 'five'].map((name) => imported(name)));
  assert.deepEqual(atOnce.map(({ status }) => status).sort(), [200, 409, 409, 409, 409]);
  const body = { channel: 'email', email: newEmail() };
  const asked = await latchkey.console(`${base}/api/status/subscribe`, { body });
  expectProblem(asked, 409, 'CONFLICT');
});
