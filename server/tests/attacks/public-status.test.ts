import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { currentView, seedComponents } from '#status';
import {
  eventually,
  managementToken,
  newEmail,
  PASSWORD,
  register,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { inTurn } from '#tests/in-turn.ts';
import { type MailServer, startMailServer } from '#tests/mail-server.ts';
import { type Receiver, respondWith, startReceiver } from '#tests/receiver.ts';
import { createTenant, type Tenant, tenantManagementToken } from '#tests/tenants.ts';
import { elsewhere } from '#tests/visitors.ts';
import { countWorkingEndpoints } from '#webhooks';

let latchkey: TestLatchkey;
let smtp: MailServer;
let receiver: Receiver;
before(async () => {
  [smtp, receiver] = await Promise.all([startMailServer(), startReceiver()]);
  latchkey = await startTestLatchkey({ settings: { LATCHKEY_SMTP_URL: smtp.url } });
  await seedComponents(latchkey.system);
});
after(async () => {
  await latchkey.stop();
  await Promise.all([smtp.stop(), receiver.stop()]);
});

const admin = async (path: string, call: Parameters<TestLatchkey['api']>[1] = {}): Promise<TestResponse> =>
  latchkey.api(`/v1/admin/status${path}`, { token: await managementToken(latchkey), ...call });

const DEAD = 'http://127.0.0.1:9/dead';
const counts = () => countWorkingEndpoints(latchkey.system, 'test');
const rows = async (text: string, values: unknown[] = []) => (await latchkey.system.pool.query(text, values)).rows;
/** The recorded outcomes of a signal, once they are flushed. */
const counted = async (signal: string): Promise<{ good: number; bad: number }> => {
  const [row] = await rows(
    'select coalesce(sum(good), 0)::integer as good, coalesce(sum(bad), 0)::integer as bad from status_signals where signal = $1',
    [signal],
  );
  return row;
};

describe('no outsider can influence the public status', () => {
  test('receivers of anonymous subscribers do not count', async () => {
    await inTurn(Array.from({ length: 14 }).keys(), async (index) => {
      const body = { channel: 'webhook', url: `${DEAD}/${index}` };
      const response = await latchkey.api('/api/status/subscribe', { body, headers: elsewhere() });
      assert.equal(response.status, 202, response.text);
    });
    await eventually(async () => {
      const [{ failing }] = await rows(
        `select count(*)::integer as failing from webhook_endpoints where purpose = 'status' and failing_since is not null`,
      );
      assert.equal(failing, 14);
    });
    assert.deepEqual(await counts(), { good: 0, bad: 0 });
    // They do not count even after a success.
    await rows(`update webhook_endpoints set succeeded_at = now() where purpose = 'status' /* all workspaces */`);
    assert.deepEqual(await counts(), { good: 0, bad: 0 });
  });

  test('endpoints that never succeeded do not count, and a workspace counts once', async () => {
    const tenant = await createTenant(latchkey, 'loud');
    const token = await tenantManagementToken(latchkey, tenant);
    const endpoint = async (url: string) => {
      const made = await latchkey.api('/v1/admin/webhooks/endpoints', { token, body: { url, events: ['user.*'] } });
      assert.equal(made.status, 201, made.text);
      return made.body.id;
    };
    await inTurn(Array.from({ length: 6 }).keys(), (index) => endpoint(`${DEAD}/${index}`));
    const well = await inTurn(Array.from({ length: 6 }).keys(), (index) =>
      endpoint(`${receiver.origin}/well/${index}`),
    );
    await newMemberIn(token);
    await eventually(async () => {
      const [{ failing, taken }] = await rows(
        `select count(*) filter (where failing_since is not null)::integer as failing,
           count(*) filter (where succeeded_at is not null)::integer as taken
         from webhook_endpoints where workspace_id = $1`,
        [tenant.scope.workspaceId],
      );
      assert.deepEqual([failing, taken], [6, 6]);
    });
    assert.deepEqual(await counts(), { good: 1, bad: 0 });
    for (const index of well.keys()) receiver.on(`/well/${index}`, respondWith(500));
    await newMemberIn(token);
    await eventually(async () => assert.deepEqual(await counts(), { good: 0, bad: 1 }));
    // After a change of address an endpoint must succeed again before it counts.
    await inTurn(well, (id) =>
      latchkey.api(`/v1/admin/webhooks/endpoints/${id}`, { token, method: 'PATCH', body: { url: DEAD } }),
    );
    assert.deepEqual(await counts(), { good: 0, bad: 0 });
  });

  test('many workspaces that send to one failing host count once', async () => {
    const tenants = await inTurn(['one', 'two', 'three'], (name) => createTenant(latchkey, name));
    const stopped = (tenant: Tenant, url: string) =>
      rows(
        `insert into webhook_endpoints (workspace_id, project_id, environment, id, url, description, events, secrets, enabled,
           failing_since, succeeded_at, created_at, updated_at)
         values ($1, $2, 'test', 'whe_' || $1, $3, '', '{}', '[]', true, now(), now(), now(), now())`,
        [tenant.scope.workspaceId, tenant.scope.projectId, url],
      );
    await inTurn(tenants, ({ scope, ...tenant }) =>
      stopped({ scope, ...tenant }, `https://hooks.example/${scope.projectId}`),
    );
    assert.deepEqual(await counts(), { good: 0, bad: 1 });
  });

  test('mails that a mail server refuses, temporarily or permanently, are not counted as faults', async () => {
    smtp.refuse = (address) => (address.startsWith('later') ? 450 : address.startsWith('never') ? 550 : null);
    const before = await counted('email');
    await inTurn(['later', 'never', 'later', 'never', 'later', 'never'], async (name) => {
      const email = `${name}.${crypto.randomUUID().slice(0, 8)}@made-up.example`;
      const body = { channel: 'email', email };
      assert.equal((await latchkey.api('/api/status/subscribe', { body, headers: elsewhere() })).status, 202);
    });
    await eventually(async () => {
      const [{ tried }] = await rows(
        `select count(*)::integer as tried from messages where recipient like '%@made-up.example' and error is not null`,
      );
      assert.equal(tried, 6);
    });
    smtp.refuse = () => null;
    const email = newEmail();
    await latchkey.api('/api/status/subscribe', { body: { channel: 'email', email }, headers: elsewhere() });
    // Everything counted before this success is flushed by then.
    await eventually(async () => assert.ok((await counted('email')).good > before.good));
    assert.equal((await counted('email')).bad, before.bad);
  });

  test('wrong passwords do not lower the share of sign-ins that work', async () => {
    const { email } = await register(latchkey);
    await inTurn(Array.from({ length: 12 }).keys(), () =>
      latchkey.auth('/v1/auth/login/password', {
        body: { identifier: email, password: `${PASSWORD}!` },
        headers: elsewhere(),
      }),
    );
    await eventually(async () => assert.ok((await counted('sign_in')).good >= 12));
    assert.equal((await counted('sign_in')).bad, 0);
  });
});

async function newMemberIn(token: string): Promise<void> {
  const made = await latchkey.api('/v1/admin/members', { token, body: { email: newEmail() } });
  assert.equal(made.status, 201, made.text);
}

/** The effect of each severity on the overall status and on the affected components, and its words on each surface. */
const SEVERITIES = {
  minor: { component: 'degraded_performance', badge: 'degraded' },
  major: { component: 'partial_outage', badge: 'partial outage' },
  critical: { component: 'major_outage', badge: 'major outage' },
} as const;
type Severity = keyof typeof SEVERITIES;

/** What every surface says about the overall status and one component. */
async function surfaces(): Promise<Record<string, unknown>> {
  const query = '?environment=test';
  const [summary, status, v2, badge, page, { overall }] = await Promise.all([
    latchkey.api('/api/status/summary'),
    latchkey.api('/api/v2/status.json'),
    latchkey.api('/api/v2/summary.json'),
    latchkey.console(`/api/status/badge.svg${query}`),
    latchkey.console(`/status${query}`),
    rows(`select overall from status_boards where environment = 'test'`).then(([row]) => row),
  ]);
  const components = summary.body.groups.flatMap((group: TestResponse['body']) => group.components);
  const v2Auth = v2.body.components.find(({ id }: { id: string }) => id === 'auth');
  return {
    overallStatus: summary.body.overallStatus,
    severity: summary.body.severity,
    auth: components.find(({ id }: { id: string }) => id === 'auth').status,
    indicators: [status.body.status.indicator, v2.body.status.indicator],
    description: status.body.status.description === v2.body.status.description,
    v2Auth: v2Auth.status,
    badge: /<title>status: ([^<]*)</.exec(badge.text)?.[1],
    banner: /class="banner ([a-z_]+)"/.exec(page.text)?.[1],
    headlines:
      page.text.includes(status.body.status.description) &&
      summary.body.summary.startsWith(status.body.status.description),
    board: overall,
    start: currentView(latchkey.system, 'test').severity,
  };
}

const WELL = {
  overallStatus: 'operational',
  severity: 'none',
  auth: 'operational',
  indicators: ['none', 'none'],
  description: true,
  v2Auth: 'operational',
  badge: 'operational',
  banner: 'operational',
  headlines: true,
  board: 'operational',
  start: 'none',
};

const expectSurfaces = (expected: Record<string, unknown>) =>
  eventually(async () => assert.deepEqual(await surfaces(), expected));

/** What every surface says while an incident of a severity is open. */
function open(severity: Severity, auth: string, whole: Severity = severity): Record<string, unknown> {
  return {
    ...WELL,
    overallStatus: 'degraded',
    severity: whole,
    auth,
    indicators: [whole, whole],
    v2Auth: auth,
    badge: SEVERITIES[whole].badge,
    banner: SEVERITIES[whole].component,
    board: 'degraded',
    start: whole,
  };
}

describe('an open incident always shows, and every surface agrees', () => {
  const create = async (body: Record<string, unknown>): Promise<string> => {
    const made = await admin('/incidents', { body: { title: 'Trouble', body: 'We look into it.', ...body } });
    assert.equal(made.status, 201, made.text);
    return made.body.id;
  };
  const update = async (id: string, body: Record<string, unknown>) => {
    const response = await admin(`/incidents/${id}/updates`, { body: { body: 'More.', ...body } });
    assert.ok(response.status < 300, response.text);
  };
  const resolve = (id: string) => update(id, { phase: 'resolved' });

  for (const severity of ['minor', 'major', 'critical'] as const) {
    const { component } = SEVERITIES[severity];
    test(`${severity}: with a component, without one, until it is resolved`, async () => {
      await expectSurfaces(WELL);
      const named = await create({ severity, componentIds: ['auth'] });
      await expectSurfaces(open(severity, component));
      await update(named, { phase: 'monitoring' });
      await expectSurfaces(open(severity, component));
      await resolve(named);
      await expectSurfaces(WELL);
      const bare = await create({ severity });
      await expectSurfaces(open(severity, 'operational'));
      await resolve(bare);
      await expectSurfaces(WELL);
    });

    test(`${severity}: an explicit component status overrides the severity, at the start and in an update`, async () => {
      const said = await create({ severity, componentIds: ['auth'], componentStatuses: { auth: 'operational' } });
      await expectSurfaces(open(severity, 'operational'));
      await resolve(said);
      const later = await create({ severity, componentIds: ['auth', 'email'] });
      await expectSurfaces(open(severity, component));
      await update(later, { phase: 'identified', componentStatuses: { auth: 'operational' } });
      await expectSurfaces(open(severity, 'operational'));
      await update(later, { phase: 'identified', componentStatuses: { email: 'operational' } });
      // Without an explicit status, auth shows its measured status again.
      await expectSurfaces(open(severity, 'operational'));
      await resolve(later);
      await expectSurfaces(WELL);
    });

    test(`${severity}: during maintenance of the affected component, the whole is degraded and the component under maintenance`, async () => {
      const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
      const planned = await admin('/maintenances', {
        body: { title: 'Upgrade', body: 'Short.', componentIds: ['auth'], beginsAt: at(1), endsAt: at(60) },
      });
      const go = (phase: string) =>
        admin(`/maintenances/${planned.body.id}/updates`, { body: { phase, body: 'As planned.' } });
      assert.ok((await go('in_progress')).status < 300);
      await expectSurfaces({
        ...WELL,
        auth: 'under_maintenance',
        v2Auth: 'under_maintenance',
        banner: 'under_maintenance',
      });
      const id = await create({ severity, componentIds: ['auth'] });
      await expectSurfaces(open(severity, 'under_maintenance'));
      await resolve(id);
      await go('completed');
      await expectSurfaces(WELL);
    });
  }

  test('the worst of several incidents counts, and a changed severity shows at once', async () => {
    const [minor, major] = [
      await create({ severity: 'minor', componentIds: ['auth'] }),
      await create({ severity: 'major' }),
    ];
    await expectSurfaces(open('minor', 'degraded_performance', 'major'));
    const changed = await admin(`/incidents/${major}`, { method: 'PATCH', body: { severity: 'critical' } });
    assert.equal(changed.status, 200, changed.text);
    await expectSurfaces(open('minor', 'degraded_performance', 'critical'));
    await resolve(major);
    await expectSurfaces(open('minor', 'degraded_performance'));
    await resolve(minor);
    await expectSurfaces(WELL);
  });

  test('a draft and a past incident show nothing', async () => {
    const draft = await create({ severity: 'critical', componentIds: ['auth'], draft: true });
    await create({ severity: 'critical', componentIds: ['auth'], phase: 'resolved' });
    await expectSurfaces(WELL);
    assert.equal((await admin(`/incidents/${draft}/publish`, { method: 'POST' })).status, 200);
    await expectSurfaces(open('critical', 'major_outage'));
    await resolve(draft);
    await expectSurfaces(WELL);
  });

  test('a title is one line, and contains no markup in the RSS feed', async () => {
    await inTurn(['Two\nlines', 'Two\r\nBcc: victim@example.com', 'Two\u2028lines'], async (title) =>
      assert.equal((await admin('/incidents', { body: { title, body: 'B', severity: 'minor' } })).status, 400, title),
    );
    const id = await create({ title: '<img src=x onerror=alert(1)>', severity: 'minor' });
    await eventually(async () => {
      const { text } = await latchkey.api('/api/status/history.rss');
      assert.ok(text.includes('&lt;img') && !text.includes('<img'));
    });
    await resolve(id);
  });
});
