import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { newId } from '#platform/ids.ts';
import {
  eventually,
  expectProblem,
  PASSWORD,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';
import { type Operator, signInOperator, teammate } from '#tests/operators.ts';

const DAY_MS = 86_400_000;
// It ends at the real time, because the provider's tokens are checked against it.
const clock = new TestClock(Date.now() - 2 * DAY_MS);
let latchkey: TestLatchkey;
let operator: Operator;
before(async () => {
  latchkey = await startTestLatchkey({ clock });
});
after(() => latchkey.stop());

function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

function login(email: string, password = PASSWORD) {
  return latchkey.auth('/v1/auth/login/password', { body: { identifier: email, password } });
}

describe('the overview', () => {
  test('counts sign-ins, failures, newcomers and people of each day from the events', async () => {
    const ada = await register(latchkey);
    await login(ada.email);
    await login(ada.email, 'not the password');
    clock.advance(DAY_MS);
    await register(latchkey);
    await login(ada.email);
    clock.advance(DAY_MS);
    await login(ada.email);
    operator = await signInOperator(latchkey);
    const figures = await eventually(async () => {
      const { body, text } = await operator.call('/console/v1/overview?days=4');
      assert.equal(body.totals?.signIns, 5, text);
      return body;
    });
    const none = { signIns: 0, failures: 0, newMembers: 0, activeMembers: 0, deliveries: 0, delivered: 0 };
    const dates = [3, 2, 1, 0].map((ago) => dayOf(clock.now().getTime() - ago * DAY_MS));
    // The demo's owner in the test environment is also a member.
    assert.deepEqual(figures.days, [
      { ...none, date: dates[0] },
      { ...none, date: dates[1], signIns: 2, failures: 1, newMembers: 2, activeMembers: 1 },
      { ...none, date: dates[2], signIns: 2, newMembers: 1, activeMembers: 2 },
      { ...none, date: dates[3], signIns: 1, activeMembers: 1 },
    ]);
    assert.deepEqual(figures.totals, {
      members: 3,
      activeMembersThisMonth: dates[2]?.slice(0, 7) === dates[3]?.slice(0, 7) ? 2 : 1,
      signIns: 5,
      failures: 1,
      newMembers: 3,
      deliveries: 0,
      delivered: 0,
    });
  });

  test('the number of members follows joins and removals, and is not counted again for every request', async () => {
    const membersNow = async () => (await operator.call('/console/v1/overview?days=1')).body.totals.members;
    const before = await membersNow();
    const { body } = await operator.call('/console/v1/members', { body: { email: 'passing@people.example' } });
    await eventually(async () => assert.equal(await membersNow(), before + 1));
    await operator.call(`/console/v1/members/${body.id}`, { method: 'DELETE' });
    await eventually(async () => assert.equal(await membersNow(), before));
    await latchkey.inProject(async ({ db }) => {
      const counted = await sql<{
        n: number;
      }>`select count(*) as n from members where workspace_id = ${latchkey.demo.workspaceId}
        and project_id = ${latchkey.demo.projects[0]?.id} and environment = 'test'`.execute(db);
      assert.equal(counted.rows[0]?.n, before);
    });
  });

  test('counts webhook deliveries and those that arrived', async () => {
    await latchkey.inProject(async ({ scope, now, db }) => {
      for (const status of ['delivered', 'delivered', 'retrying']) {
        // biome-ignore lint/performance/noAwaitInLoops: one connection
        await sql`insert into webhook_deliveries (workspace_id, project_id, environment, id, endpoint_id, event_id, event_type, status, trigger, created_at)
          values (${scope.workspaceId}, ${scope.projectId}, ${scope.environment}, ${newId('dlv', now)}, 'whe_', 'evt_', 'user.login', ${status}, 'event', ${now})`.execute(
          db,
        );
      }
    });
    const { body } = await operator.call('/console/v1/overview?days=1');
    assert.deepEqual([body.totals.deliveries, body.totals.delivered], [3, 2]);
  });

  test('the inbox shows only the project’s messages', async () => {
    const ada = await register(latchkey);
    await latchkey.auth('/v1/auth/password/forgot', { body: { identifier: ada.email } });
    const inbox = await operator.call(`/console/v1/inbox?to=${ada.email}`);
    assert.equal(inbox.body.items.length, 1, inbox.text);
    const path = `/console/v1/inbox/${inbox.body.items[0].id}`;
    assert.equal((await operator.call(path)).body.to, ada.email);
    const elsewhere = { 'x-environment': 'production' };
    assert.deepEqual((await operator.call('/console/v1/inbox', { headers: elsewhere })).body.items, []);
    expectProblem(await operator.call(path, { headers: elsewhere }), 404, 'NOT_FOUND');
  });

  test('the preview is the real sign-in page with a look that is not saved yet, in a frame of the console', async () => {
    const { workspaceId, projects } = latchkey.demo;
    const page = (look: Record<string, string>, who = operator) =>
      who.call(
        `/console/v1/branding/preview?${new URLSearchParams({ workspaceId, projectId: projects[0]?.id ?? '', environment: 'test', ...look })}`,
        { headers: { 'x-workspace-id': undefined, 'x-project-id': undefined, 'x-environment': undefined } },
      );
    const plain = await page({ locale: 'de' });
    assert.match(plain.text, /<html lang="de"/);
    assert.match(plain.text, /name="identifier"/);
    assert.match(plain.headers.get('content-security-policy') ?? '', /frame-ancestors 'self'; sandbox$/);
    assert.equal(plain.headers.get('x-frame-options'), 'SAMEORIGIN');
    const changed = await page({ accentColor: '#a02060', text: 'Below the form', radius: '3', logoUrl: '' });
    assert.match(changed.text, /#a02060/);
    assert.match(changed.text, /Below the form/);
    assert.match(changed.text, /--radius:3px/);
    expectProblem(await page({ accentColor: 'red' }), 400, 'VALIDATION_FAILED');
    expectProblem(await page({ workspaceId: 'wrk_01kaz3w9hqf8p9n2m4v5x6y7z8' }), 403, 'MEMBERSHIP_REQUIRED');
    expectProblem(await page({}, await teammate(latchkey, 'billing')), 403, 'AUTHORIZATION_DENIED');
  });

  test('the event log can be read backwards, by type and time', async () => {
    const all = await operator.call('/console/v1/event-log?limit=5');
    assert.equal(all.body.items.length, 5, all.text);
    assert.ok(all.body.items[0].sequence > all.body.items[4].sequence);
    const next = await operator.call(`/console/v1/event-log?limit=5&cursor=${all.body.nextCursor}`);
    assert.ok(next.body.items[0].sequence < all.body.items[4].sequence);
    const failures = await operator.call('/console/v1/event-log?type=user.login_failed');
    assert.deepEqual(
      failures.body.items.map(({ type }: { type: string }) => type),
      ['user.login_failed'],
    );
    const later = new Date(clock.now().getTime() + 1000).toISOString();
    assert.deepEqual((await operator.call(`/console/v1/event-log?since=${later}`)).body.items, []);
  });
});
