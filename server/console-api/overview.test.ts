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
// It ends up at the real time, which the provider's tokens are checked against.
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
    // The demo's owner in the test environment is a member, too.
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

  test('the search finds projects by a part of their name, and members for those who may see them', async () => {
    const { body } = await operator.call('/console/v1/search?q=elpde');
    assert.deepEqual(
      body.projects.map(({ name }: { name: string }) => name),
      ['Helpdesk'],
    );
    const people = await operator.call('/console/v1/search?q=owner@');
    assert.equal(people.body.members.length, 1);
    const analyst = await teammate(latchkey, 'analyst');
    assert.deepEqual((await analyst.call('/console/v1/search?q=owner@')).body.members, []);
  });

  test('the inbox shows what the project sent, and nothing of others', async () => {
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

  test('the preview is the real sign-in page with the settings that are not saved yet', async () => {
    const path = '/console/v1/settings/sign-in/preview';
    const { body: saved } = await operator.call('/console/v1/settings');
    const branding = { ...saved.branding, accentColor: '#a02060', text: 'Below the form' };
    const plain = await operator.call(path, { body: { settings: {}, locale: 'de' } });
    assert.match(plain.body.document, /<html lang="de"/);
    assert.match(plain.body.document, /name="identifier"/);
    const changed = await operator.call(path, {
      body: { settings: { branding, registration: 'closed' }, locale: 'en' },
    });
    assert.match(changed.body.document, /#a02060/);
    assert.match(changed.body.document, /Below the form/);
    assert.ok(plain.body.document.includes('/register') && !changed.body.document.includes('/register'));
    expectProblem(
      await operator.call(path, { body: { settings: { nothing: 1 }, locale: 'en' } }),
      400,
      'VALIDATION_FAILED',
    );
  });
});
