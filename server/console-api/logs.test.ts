import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eraseUserJob } from '#people';
import { observeStatements } from '#platform/db.ts';
import {
  eventsOf,
  eventually,
  expectProblem,
  managementToken,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { type Operator, signInOperator, teammate } from '#tests/operators.ts';

const DAY_MS = 86_400_000;
const clock = new TestClock(Date.now() - 8 * DAY_MS);
let latchkey: TestLatchkey;
let operator: Operator;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
});
after(() => latchkey.stop());

/** The response of a log that includes everything emitted so far. */
async function log(path: string, by: Operator = operator): Promise<TestResponse['body']> {
  await eventually(async () => {
    const { rows } = await latchkey.system.pool.query('select 1 from events where sequence is null');
    assert.equal(rows.length, 0);
  });
  const response = await by.call(`/console/v1/${path}`);
  assert.equal(response.status, 200, response.text);
  return response.body;
}

describe('the logs name the records behind their ids', () => {
  test('people by name or address, operators, applications; erased people as nobody', async () => {
    const ada = await register(latchkey, { profile: { displayName: 'Ada Lovelace' } });
    const plain = await register(latchkey);
    const gone = await register(latchkey, { profile: { displayName: 'Erika Gone' } });
    assert.equal((await latchkey.api('/v1/me', { token: gone.access_token, method: 'DELETE' })).status, 202);
    clock.advance(8 * DAY_MS);
    await latchkey.inProject((tx) =>
      eraseUserJob(tx, `usr_${gone.session.userId.slice(4)}`, new Date(Date.now() - 1000)),
    );
    await eventually(async () =>
      assert.ok((await eventsOf(latchkey, gone.session.userId)).includes('user.deleted'), 'erased'),
    );
    const token = await managementToken(latchkey);
    const role = await latchkey.api('/v1/admin/roles', { token, body: { key: 'clerk', name: 'Clerk' } });
    operator = await signInOperator(latchkey);
    const session = await operator.call('/console/v1/session');
    const { userId: operatorId } = session.body.operator;
    await operator.call(`/console/v1/roles/${role.body.id}`, { method: 'PATCH', body: { name: 'Clerk of records' } });
    for (const path of ['audit-log?limit=100', 'event-log?limit=100']) {
      // biome-ignore lint/performance/noAwaitInLoops: one log after the other
      const { items, names } = await log(path);
      const management = items.find(({ actor }: TestResponse['body']) => actor?.kind === 'management').actor;
      assert.ok(items.find(({ resources }: TestResponse['body']) => resources.includes(ada.session.userId)));
      assert.deepEqual(
        [ada.session.userId, plain.session.userId, gone.session.userId, operatorId].map((id) => names[id]),
        ['Ada Lovelace', plain.email, null, session.body.operator.displayName ?? latchkey.demo.operator.email],
      );
      const { items: applications } = (await operator.call('/console/v1/applications?limit=100')).body;
      assert.equal(
        names[management.applicationId],
        applications.find(({ id }: { id: string }) => id === management.applicationId).name,
      );
      assert.ok(!JSON.stringify(names).includes('Erika'));
    }
  });

  test('with three statements at most, however long the page is', async () => {
    let count = 0;
    const stop = observeStatements((statement) => {
      if (/from "?(users|applications)\b/.test(statement)) count += 1;
    });
    const { items, names } = await log('audit-log?limit=100');
    stop();
    assert.ok(items.length > 20 && Object.keys(names).length > 4);
    assert.equal(count, 3);
  });

  test('BI-3 only records that the reader may see: for an analyst, people, operators and applications stay ids', async () => {
    const analyst = await teammate(latchkey, 'analyst');
    for (const path of ['audit-log?limit=100', 'event-log?limit=100']) {
      // biome-ignore lint/performance/noAwaitInLoops: one log after the other
      const { items, names } = await log(path, analyst);
      assert.ok(items.length > 5);
      assert.deepEqual(names, {});
    }
    const support = await teammate(latchkey, 'support');
    const { names } = await log('event-log?limit=100', support);
    assert.ok(Object.values(names).includes('Ada Lovelace'));
    assert.ok(Object.keys(names).every((id) => id.startsWith('usr_')));
    expectProblem(await support.call('/console/v1/audit-log'), 403, 'AUTHORIZATION_DENIED');
    expectProblem(await operator.call('/console/v1/audit-log?cursor=forged'), 400, 'INVALID_CURSOR');
  });
});

describe('webhook deliveries', () => {
  test('name the person that the event is about, in this environment and for those who may see people', async () => {
    const url = 'https://hooks.people.example/';
    const endpoint = { url, events: ['user.*', 'role.*'], description: '', enabled: true };
    assert.equal((await operator.call('/console/v1/webhooks/endpoints', { body: endpoint })).status, 201);
    const person = await register(latchkey, { profile: { displayName: 'Dora Delivered' } });
    const role = await operator.call('/console/v1/roles', { body: { key: 'porter', name: 'Porter' } });
    assert.equal(role.status, 201, role.text);
    const { userId } = person.session;
    const listed = await eventually(async () => {
      const page = await log('delivery-log?limit=100');
      assert.ok(page.items.some(({ eventType }: { eventType: string }) => eventType === 'role.created'));
      return page;
    });
    const aboutOf = (type: string) =>
      listed.items.find(({ eventType }: { eventType: string }) => eventType === type)?.userId;
    assert.deepEqual([aboutOf('user.created'), aboutOf('role.created')], [userId, null]);
    assert.equal(listed.names[userId], 'Dora Delivered');
    assert.match(listed.members[userId], /^mem_/);
    const [first] = listed.items;
    const one = await operator.call(`/console/v1/webhooks/deliveries/${first.id}`);
    assert.equal(one.body.userId, first.userId);
    const analyst = await log('delivery-log?limit=100', await teammate(latchkey, 'analyst'));
    assert.equal(analyst.items.length, listed.items.length);
    assert.deepEqual([analyst.names, analyst.members], [{}, {}]);
    const elsewhere = await operator.call('/console/v1/delivery-log', { headers: { 'x-environment': 'production' } });
    assert.deepEqual(elsewhere.body.items, []);
    expectProblem(
      await (await teammate(latchkey, 'billing')).call('/console/v1/delivery-log'),
      403,
      'AUTHORIZATION_DENIED',
    );
  });
});

describe('files that a link downloads', () => {
  const at = (environment = 'test') =>
    new URLSearchParams({
      workspaceId: latchkey.demo.workspaceId,
      projectId: latchkey.demo.projects[0]?.id ?? '',
      environment,
    });
  const noHeaders = { 'x-workspace-id': undefined, 'x-project-id': undefined, 'x-environment': undefined };
  const follow = (path: string, query: URLSearchParams, by = operator) =>
    by.call(`/console/v1/${path}?${query}`, { headers: noHeaders });

  test('have their scope in the query; no other address does', async () => {
    const audit = await follow('audit-events/export', at());
    assert.equal(audit.status, 200, audit.text);
    assert.match(audit.headers.get('content-disposition') ?? '', /^attachment; filename="audit-test-/);
    const members = await follow('members/export', at());
    assert.equal(members.status, 200, members.text);
    assert.ok(members.text.includes('"displayName":"Ada Lovelace"'));
    const elsewhere = await follow('members/export', at('production'));
    assert.ok(elsewhere.status === 200 && !elsewhere.text.includes('Ada Lovelace'));
    expectProblem(await follow('members/export', new URLSearchParams()), 400, 'CONTEXT_REQUIRED');
    expectProblem(await follow('members', at()), 400, 'CONTEXT_REQUIRED');
  });

  test('BI-3 require the same permission and the same proof', async () => {
    const developer = await teammate(latchkey, 'developer');
    expectProblem(await follow('members/export', at(), developer), 403, 'AUTHORIZATION_DENIED');
    const foreign = at();
    foreign.set('workspaceId', 'wrk_01kaz3w9hqf8p9n2m4v5x6y7z8');
    expectProblem(await follow('members/export', foreign), 403, 'MEMBERSHIP_REQUIRED');
    const left = async () => (await operator.call('/console/v1/session')).body.stepUpSeconds;
    const before = await left();
    assert.ok(before > 300 && before <= 600, String(before));
    clock.advance(601_000);
    assert.equal(await left(), 0);
    expectProblem(await follow('members/export', at()), 401, 'REAUTHENTICATION_REQUIRED');
    assert.equal((await follow('audit-events/export', at())).status, 200, 'the audit log is not marked');
  });
});
