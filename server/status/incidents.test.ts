import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemCtx } from '#platform/ctx.ts';
import {
  eventually,
  expectProblem,
  lastMessage,
  managementToken,
  newEmail,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { applyTransitions, resolveWatched, type Transition } from './automatic.ts';
import { seedComponents } from './components.ts';
import type { MeasuredStatus } from './health.ts';
import { advanceMaintenance, dueMaintenances } from './maintenances.ts';
import { installationPage, managedPage } from './pages.ts';

const MINUTE = 60_000;

let latchkey: TestLatchkey;
const clock = new TestClock();
before(async () => {
  latchkey = await startTestLatchkey({ clock });
  await seedComponents(latchkey.system);
});
after(() => latchkey.stop());

const admin = async (path: string, call: Parameters<TestLatchkey['api']>[1] = {}): Promise<TestResponse> =>
  latchkey.api(`/v1/admin/status${path}`, { token: await managementToken(latchkey), ...call });
const summary = async () => (await latchkey.api('/api/status/summary')).body;
const statuses = async (): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await summary()).groups.flatMap(({ components }: TestResponse['body']) =>
      components.map(({ id, status }: { id: string; status: string }) => [id, status]),
    ),
  );
const scope = () => {
  const [project] = latchkey.demo.projects;
  assert.ok(project);
  return { workspaceId: latchkey.demo.workspaceId, projectId: project.id, environment: 'test' as const };
};
const ctx = () => ({
  ...systemCtx(latchkey.system, scope(), 'status', crypto.randomUUID()),
  page: installationPage('test'),
});
const change = (componentId: string, to: MeasuredStatus): Transition => ({ componentId, to, since: clock.now() });
const noticesOf = async (subjectId: string): Promise<string[]> => {
  const { rows } = await latchkey.system.pool.query(
    'select content from status_notices where subject_id = $1 order by id',
    [subjectId],
  );
  return rows.map(({ content }) => content.phase);
};
const countEvents = async (type: string): Promise<number> => {
  const { rows } = await latchkey.system.pool.query('select count(*) as count from events where type = $1', [type]);
  return rows[0].count;
};

describe('an incident of the operator', () => {
  test('ST-3 goes through its phases, announces each once, can be reopened, and is public immediately', async () => {
    const made = await admin('/incidents', {
      body: {
        title: 'Slow sign-in',
        severity: 'major',
        componentIds: ['auth'],
        componentStatuses: { sign_in: 'partial_outage' },
        body: 'We are looking into it.',
      },
    });
    assert.equal(made.status, 201, made.text);
    const { id } = made.body;
    await eventually(async () => {
      const { overallStatus, incidents } = await summary();
      assert.equal(overallStatus, 'degraded');
      assert.deepEqual(incidents[0].componentIds, ['auth', 'sign_in']);
    });
    assert.equal((await statuses())['sign_in'], 'partial_outage');
    const update = (phase: string) => admin(`/incidents/${id}/updates`, { body: { phase, body: `Now ${phase}.` } });
    const phases = ['investigating', 'identified', 'identified', 'monitoring', 'resolved', 'investigating', 'resolved'];
    for (const phase of phases) {
      // biome-ignore lint/performance/noAwaitInLoops: phases follow one another
      assert.equal((await update(phase)).status, 201);
    }
    expectProblem(await update('monitoring'), 409, 'CONFLICT');
    assert.deepEqual(await noticesOf(id), [
      'investigating',
      'identified',
      'monitoring',
      'resolved',
      'investigating',
      'resolved',
    ]);
    await eventually(async () => assert.equal((await summary()).overallStatus, 'operational'));
    const { items } = (await latchkey.api('/api/status/incidents')).body;
    assert.equal(items[0].updates.length, 8);
    assert.equal(
      (await admin(`/incidents/${id}`, { method: 'PATCH', body: { postmortem: 'A full disk.' } })).status,
      200,
    );
    await eventually(async () =>
      assert.equal((await latchkey.api('/api/status/incidents')).body.items[0].postmortem, 'A full disk.'),
    );
  });

  test('is private while it is a draft', async () => {
    const made = await admin('/incidents', {
      body: {
        title: 'Secret draft',
        severity: 'minor',
        body: 'Not yet.',
        componentStatuses: { api: 'major_outage' },
        draft: true,
      },
    });
    assert.equal((await summary()).overallStatus, 'operational');
    assert.ok(!(await latchkey.api('/api/status/incidents')).text.includes('Secret draft'));
    assert.deepEqual(await noticesOf(made.body.id), []);
    assert.equal((await admin(`/incidents/${made.body.id}/publish`, { method: 'POST' })).status, 200);
    assert.deepEqual(await noticesOf(made.body.id), ['investigating']);
    expectProblem(await admin(`/incidents/${made.body.id}`, { method: 'DELETE' }), 409, 'CONFLICT');
    await admin(`/incidents/${made.body.id}/updates`, { body: { phase: 'resolved', body: 'Over.' } });
  });

  test('is listed page by page, also when the last one of a page is no longer listed', async () => {
    const titles = ['Oldest', 'Middle', 'Newest'];
    for (const title of titles) {
      const body = { title, severity: 'minor', body: 'x', componentIds: ['auth'] };
      // biome-ignore lint/performance/noAwaitInLoops: they begin at one moment, in this order
      const { id } = (await admin('/incidents', { body })).body;
      await admin(`/incidents/${id}/updates`, { body: { phase: 'resolved', body: 'Over.' } });
    }
    const page = async (cursor: string | null) => {
      const query = cursor === null ? '' : `&cursor=${cursor}`;
      const { items, nextCursor } = (await latchkey.api(`/api/status/incidents?limit=1${query}`)).body;
      return { title: items[0]?.title, nextCursor };
    };
    await eventually(async () => assert.equal((await page(null)).title, 'Newest'));
    const first = await page(null);
    const second = await page(first.nextCursor);
    assert.equal(second.title, 'Middle');
    const { rows } = await latchkey.system.pool.query(
      `update status_incidents set published_at = null where title = 'Middle' returning id`,
    );
    assert.equal(rows.length, 1);
    await admin('/incidents', { body: { title: 'Draft', severity: 'minor', body: 'x', draft: true } });
    await eventually(async () => assert.equal((await page(first.nextCursor)).title, 'Oldest'));
    assert.equal((await page(second.nextCursor)).title, 'Oldest');
    const wrong = Buffer.from('no position').toString('base64url');
    expectProblem(await latchkey.api(`/api/status/incidents?cursor=${wrong}`), 400, 'INVALID_CURSOR');
  });

  test('names only existing components', async () => {
    const body = { title: 'x', severity: 'minor', body: 'x', componentIds: ['cmp_01kaz3w9hqf8p9n2m4v5x6y7z8'] };
    const response = await admin('/incidents', { body });
    expectProblem(response, 400, 'VALIDATION_FAILED');
    assert.equal(response.body.errors[0].pointer, '/body/componentIds/0');
  });

  test('belongs only to the environment’s default project', async () => {
    const [, second] = latchkey.demo.projects;
    assert.ok(second);
    const { workspaceId } = latchkey.demo;
    const elsewhere = systemCtx(latchkey.system, { workspaceId, projectId: second.id, environment: 'test' }, 't', 't');
    await assert.rejects(managedPage(elsewhere), { code: 'NOT_FOUND' });
  });
});

describe('an automatic incident', () => {
  test('four processes find the same failure and recovery at once: one incident, one alert, one notice per phase', async () => {
    const to = newEmail();
    await admin('/settings', { method: 'PATCH', body: { alertEmails: [to] } });
    const before = await countEvents('status.degraded');
    await Promise.all(Array.from({ length: 4 }, () => applyTransitions(ctx(), [change('oidc', 'major_outage')])));
    const { incidents } = await eventually(async () => {
      const body = await summary();
      assert.equal(body.incidents.length, 1);
      return body;
    });
    const [{ id, title, phase }] = incidents;
    assert.deepEqual([title, phase], ['Problem with OpenID Connect', 'investigating']);
    // A component that fails joins the incident, which returns to investigating.
    await applyTransitions(ctx(), [change('webhooks', 'degraded_performance')]);
    await applyTransitions(ctx(), [change('oidc', 'operational')]);
    assert.equal((await admin(`/incidents/${id}`)).body.phase, 'investigating');
    await Promise.all(Array.from({ length: 4 }, () => applyTransitions(ctx(), [change('webhooks', 'operational')])));
    assert.equal((await admin(`/incidents/${id}`)).body.phase, 'monitoring');
    clock.advance(9 * MINUTE);
    await resolveWatched(ctx());
    assert.equal((await admin(`/incidents/${id}`)).body.phase, 'monitoring');
    clock.advance(MINUTE);
    await Promise.all(Array.from({ length: 4 }, () => resolveWatched(ctx())));
    assert.equal((await admin(`/incidents/${id}`)).body.phase, 'resolved');
    assert.deepEqual(await noticesOf(id), ['investigating', 'monitoring', 'resolved']);
    assert.equal((await countEvents('status.degraded')) - before, 1);
    await eventually(async () => {
      assert.match((await lastMessage(latchkey, to)).subject, /everything is operational again/);
      const { body } = await latchkey.console(`/dev/inbox?to=${to}`);
      assert.equal(body.items.length, 2, 'one when it began, one when it was over');
    });
  });

  test('a failure during monitoring returns it to investigating, once', async () => {
    await applyTransitions(ctx(), [change('email', 'partial_outage')]);
    await applyTransitions(ctx(), [change('email', 'operational')]);
    await applyTransitions(ctx(), [change('email', 'partial_outage')]);
    const [open] = (await admin('/incidents')).body.items;
    assert.deepEqual(await noticesOf(open.id), ['investigating', 'monitoring', 'investigating']);
    // A person who writes an update takes the incident over.
    await admin(`/incidents/${open.id}/updates`, { body: { phase: 'identified', body: 'A bad carrier.' } });
    await applyTransitions(ctx(), [change('email', 'operational')]);
    assert.equal((await admin(`/incidents/${open.id}`)).body.phase, 'identified');
    await admin(`/incidents/${open.id}/updates`, { body: { phase: 'resolved', body: 'Done.' } });
  });

  test('is a draft, or not created, by the policy', async () => {
    await admin('/settings', { method: 'PATCH', body: { automatic: 'draft' } });
    await applyTransitions(ctx(), [change('sms', 'major_outage')]);
    const [draft] = (await admin('/incidents')).body.items;
    assert.deepEqual([draft.draft, draft.componentIds], [true, ['sms']]);
    assert.equal((await summary()).incidents.length, 0);
    await applyTransitions(ctx(), [change('sms', 'operational')]);
    await admin(`/incidents/${draft.id}`, { method: 'DELETE' });
    await admin('/settings', { method: 'PATCH', body: { automatic: 'off' } });
    await applyTransitions(ctx(), [change('sms', 'major_outage'), change('sms', 'operational')]);
    assert.notEqual((await admin('/incidents')).body.items[0].componentIds[0], 'sms');
    await admin('/settings', { method: 'PATCH', body: { automatic: 'publish' } });
  });
});

describe('a maintenance', () => {
  const plan = (minutes: number, forMinutes: number) =>
    admin('/maintenances', {
      body: {
        title: 'Database upgrade',
        body: 'Short interruptions.',
        componentIds: ['database'],
        beginsAt: new Date(clock.now().getTime() + minutes * MINUTE).toISOString(),
        endsAt: new Date(clock.now().getTime() + (minutes + forMinutes) * MINUTE).toISOString(),
      },
    });
  const advance = async () => {
    for (const id of await dueMaintenances(ctx())) {
      // biome-ignore lint/performance/noAwaitInLoops: several processes ask for the same
      await Promise.all(Array.from({ length: 3 }, () => advanceMaintenance(ctx(), id)));
    }
  };

  test('reminds, starts and ends automatically, each once; failures during it count as planned', async () => {
    const made = await plan(120, 30);
    assert.equal(made.status, 201, made.text);
    const { id } = made.body;
    for (const minutes of [61, 0, 59, 0]) {
      clock.advance(minutes * MINUTE);
      // biome-ignore lint/performance/noAwaitInLoops: time goes by
      await advance();
    }
    await eventually(async () => assert.equal((await statuses())['database'], 'under_maintenance'));
    await applyTransitions(ctx(), [change('database', 'major_outage')]);
    await eventually(async () => {
      const { overallStatus, severity, summary: sentence, incidents } = await summary();
      assert.deepEqual(
        [overallStatus, severity, sentence.split('.')[0], incidents.length],
        ['operational', 'none', 'Maintenance is in progress', 0],
      );
    });
    await applyTransitions(ctx(), [change('database', 'operational')]);
    clock.advance(30 * MINUTE);
    await advance();
    assert.deepEqual(await noticesOf(id), ['scheduled', 'reminder', 'in_progress', 'completed']);
    await eventually(async () => assert.equal((await statuses())['database'], 'operational'));
  });

  test('must end after it starts, and can be cancelled', async () => {
    expectProblem(await plan(10, -5), 400, 'VALIDATION_FAILED');
    const { id } = (await plan(300, 5)).body;
    assert.equal((await admin(`/maintenances/${id}`, { method: 'DELETE' })).status, 204);
    expectProblem(await admin(`/maintenances/${id}`), 404, 'NOT_FOUND');
    assert.deepEqual(await noticesOf(id), ['scheduled', 'cancelled']);
  });
});

describe('components and groups', () => {
  test('the operator’s own are added, reordered, hidden until degraded, report by themselves, and are removed', async () => {
    const group = (await admin('/groups', { body: { name: 'Shops', position: 5 } })).body;
    const made = await admin('/components', {
      body: {
        groupId: group.id,
        name: 'Checkout',
        check: { kind: 'heartbeat', intervalSeconds: 60 },
        shown: 'when_degraded',
      },
    });
    assert.equal(made.status, 201, made.text);
    const { id, heartbeatUrl } = made.body;
    assert.ok(!(await admin(`/components/${id}`)).text.includes('heartbeatUrl'), 'shown once');
    const beat = await latchkey.console(new URL(heartbeatUrl).pathname, { method: 'POST' });
    assert.equal(beat.status, 204, beat.text);
    assert.ok((await admin(`/components/${id}`)).body.heartbeatAt);
    assert.ok(!(id in (await statuses())));
    await applyTransitions(ctx(), [change(id, 'degraded_performance')]);
    await eventually(async () => {
      const body = await summary();
      assert.deepEqual([body.groups[0].name, body.groups[0].components[0].name], ['Shops', 'Checkout']);
    });
    expectProblem(await admin(`/groups/${group.id}`, { method: 'DELETE' }), 409, 'CONFLICT');
    expectProblem(await admin('/components/auth', { method: 'DELETE' }), 409, 'CONFLICT');
    assert.equal((await admin(`/components/${id}`, { method: 'DELETE' })).status, 204);
    assert.equal((await admin(`/groups/${group.id}`, { method: 'DELETE' })).status, 204);
    // The automatic incident of its failure advances and ends like any other.
    await resolveWatched(ctx());
    clock.advance(10 * MINUTE);
    await resolveWatched(ctx());
    await eventually(async () => assert.equal((await summary()).overallStatus, 'operational'));
  });
});

describe('templates', () => {
  test('are added, listed by kind, changed and removed, each with an event; what does not fit is refused', async () => {
    const text = { title: 'Mail is delayed', body: 'Mails of {components} wait.', componentIds: ['email'] };
    const incident = await admin('/templates', { body: { kind: 'incident', name: ' Mails ', ...text } });
    assert.equal(incident.status, 201, incident.text);
    const { id, createdAt, updatedAt, ...kept } = incident.body;
    assert.deepEqual(kept, {
      kind: 'incident',
      name: 'Mails',
      title: 'Mail is delayed',
      body: 'Mails of {components} wait.',
      severity: 'minor',
      componentIds: ['email'],
      durationMinutes: null,
    });
    const maintenance = { kind: 'maintenance', name: 'Upgrade', ...text, durationMinutes: 90 };
    assert.equal((await admin('/templates', { body: maintenance })).body.severity, null);
    const names = async (query: string) =>
      (await admin(`/templates${query}`)).body.items.map(({ name }: { name: string }) => name);
    assert.deepEqual([await names(''), await names('?kind=incident')], [['Upgrade', 'Mails'], ['Mails']]);
    for (const body of [
      { ...maintenance, severity: 'minor' },
      { kind: 'incident', name: 'Long', ...text, durationMinutes: 5 },
      { kind: 'incident', name: 'Elsewhere', ...text, componentIds: ['nothing'] },
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: few
      expectProblem(await admin('/templates', { body }), 400, 'VALIDATION_FAILED');
    }
    const change = (body: object) => admin(`/templates/${id}`, { method: 'PATCH', body });
    expectProblem(await change({ durationMinutes: 5 }), 400, 'VALIDATION_FAILED');
    expectProblem(await change({ severity: null }), 400, 'VALIDATION_FAILED');
    assert.equal((await change({ severity: 'major' })).body.severity, 'major');
    assert.equal((await admin(`/templates/${id}`, { method: 'DELETE' })).status, 204);
    expectProblem(await admin(`/templates/${id}`), 404, 'NOT_FOUND');
    const events = ['created', 'updated', 'deleted'].map((action) => countEvents(`status.template.${action}`));
    assert.deepEqual((await Promise.all(events)).map(Number), [2, 1, 1]);
  });
});
