import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { updateSettings } from '#environments';
import { newId } from '#platform/ids.ts';
import { codesOf } from '#tests/factors.ts';
import {
  eventually,
  expectProblem,
  mailedCode,
  newEmail,
  PASSWORD,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { type Operator, signInOperator, teammate } from '#tests/operators.ts';

const DAY_MS = 86_400_000;
const NOW = new Date();
/** The fifth day of a month, two of which are over. */
const fifthOf = (monthsAgo: number) => Date.UTC(NOW.getUTCFullYear(), NOW.getUTCMonth() - monthsAgo, 5, 10);
// It ends at the real time, because the provider's tokens are checked against it.
const clock = new TestClock(fifthOf(2));
const until = (time: number) => clock.advance(time - clock.now().getTime());
let latchkey: TestLatchkey;
let operator: Operator;
before(async () => {
  latchkey = await startTestLatchkey({ clock, settings: { LATCHKEY_COUNTRY_HEADER: 'CF-IPCountry' } });
});
after(() => latchkey.stop());

function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

function login(email: string, password = PASSWORD) {
  return latchkey.auth('/v1/auth/login/password', { body: { identifier: email, password } });
}

/** In production, where addresses are proven, and which no other test of this file counts. */
const production = {
  post: (path: string, body: object, country?: string) =>
    latchkey.auth(`/v1/auth/${path}`, { body, ...(country && { headers: { 'cf-ipcountry': country } }) }, 'production'),
  set: (mfa: 'optional' | 'required') =>
    latchkey.inProject((tx) => updateSettings(tx, { mfa }), { environment: 'production' }),
};

async function begin(): Promise<{ email: string; flowId: string }> {
  const email = newEmail();
  const { body } = await production.post('register', { email, password: PASSWORD });
  return { email, flowId: body.flowId };
}

async function prove({ email, flowId }: { email: string; flowId: string }, country?: string) {
  const code = await eventually(() => mailedCode(latchkey, email));
  const { status, body, text } = await production.post('email/verify', { flowId, code }, country);
  assert.equal(status, 200, text);
  return { email, body };
}

async function signIn({ email }: { email: string }, country?: string) {
  const { status, body, text } = await production.post(
    'login/password',
    { identifier: email, password: PASSWORD },
    country,
  );
  assert.equal(status, 200, text);
  return body;
}

/** A sign-in that has to set up an authenticator app first. */
async function signInWithTwo(person: { email: string }, country: string) {
  await production.set('required');
  const { mfaToken } = await signIn(person, country);
  const app = (await production.post('mfa/enroll', { mfaToken })).body;
  const code = codesOf(app.secret, clock)();
  const done = await production.post('mfa/enroll/confirm', { mfaToken, factorId: app.id, code }, country);
  assert.equal(done.status, 200, done.text);
  await production.set('optional');
}

/**
 * The response once `isCounted` accepts it. It is read again then: a response is made of several reads, and the accepted one may
 * hold figures of before and after the events were counted.
 */
async function onceCounted(path: string, isCounted: (response: TestResponse) => void, headers = {}) {
  await eventually(async () => isCounted(await operator.call(path, { headers })));
  return (await operator.call(path, { headers })).body;
}

let bob: { email: string };

describe('insight', () => {
  test('follows people who register, prove their address and return in three months', async () => {
    const again = await begin();
    clock.advance(31_000);
    const { body } = await production.post('register', { email: again.email, password: PASSWORD });
    const ada = await prove({ email: again.email, flowId: body.flowId }, 'DE');
    bob = await prove(await begin(), 'fr');
    await begin();
    await production.set('required');
    const eve = await prove(await begin());
    const fay = await prove(await begin());
    assert.deepEqual([eve.body.status, fay.body.status], ['mfa_required', 'mfa_required']);
    await production.set('optional');
    until(Date.UTC(NOW.getUTCFullYear(), NOW.getUTCMonth() - 2, 5, 23, 59));
    const late = await begin();
    clock.advance(120_000);
    await prove(late, 'XX');
    clock.advance(3 * DAY_MS);
    await signIn(eve);
    until(fifthOf(1));
    await signIn(ada, 'DE');
    await signInWithTwo(ada, 'de');
    await signIn(bob);
    await prove(await begin());
    until(NOW.getTime() - 2 * DAY_MS);
  });
});

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
    const figures = await onceCounted('/console/v1/overview?days=4', ({ body, text }) =>
      assert.equal(body.totals?.signIns, 5, text),
    );
    const none = { signIns: 0, failures: 0, newMembers: 0, activeMembers: 0, deliveries: 0, delivered: 0 };
    const dates = [3, 2, 1, 0].map((ago) => dayOf(clock.now().getTime() - ago * DAY_MS));
    assert.deepEqual(figures.days, [
      { ...none, date: dates[0] },
      { ...none, date: dates[1], signIns: 2, failures: 1, newMembers: 1, activeMembers: 1 },
      { ...none, date: dates[2], signIns: 2, newMembers: 1, activeMembers: 2 },
      { ...none, date: dates[3], signIns: 1, activeMembers: 1 },
    ]);
    assert.deepEqual(figures.totals, {
      // The demo's owner in the test environment is also a member.
      members: 3,
      activeMembersThisMonth: dates[2]?.slice(0, 7) === dates[3]?.slice(0, 7) ? 2 : 1,
      signIns: 5,
      failures: 1,
      newMembers: 2,
      deliveries: 0,
      delivered: 0,
    });
  });

  test('sign-ins are counted by way, failures by reason, and people by the month of their account', async () => {
    const { body } = await operator.call('/console/v1/insight?days=4');
    const countsOf = (figure: string, key: string) =>
      body.series.find((one: { figure: string; key: string }) => one.figure === figure && one.key === key)?.counts;
    assert.deepEqual(countsOf('sign_ins_by_way', 'pwd'), [0, 2, 2, 1]);
    assert.deepEqual(countsOf('sign_ins_by_application', 'unknown'), [0, 2, 2, 1]);
    assert.deepEqual(countsOf('failures_by_reason', 'invalid_credentials'), [0, 1, 0, 0]);
    assert.deepEqual(countsOf('registrations', 'created'), [0, 1, 1, 0]);
    assert.equal(body.cohorts.length, 6);
    const active = body.cohorts.flatMap((cohort: { active: number[] }) => cohort.active);
    assert.ok(
      active.some((people: number) => people > 0),
      JSON.stringify(body.cohorts),
    );
    expectProblem(await (await teammate(latchkey, 'billing')).call('/console/v1/insight'), 403, 'AUTHORIZATION_DENIED');
  });

  test('mails are counted when a server takes them', async () => {
    const reset = { identifier: (await register(latchkey)).email };
    const mails = async () => {
      const { body } = await operator.call('/console/v1/insight?days=1');
      return body.series.find((one: { figure: string; key: string }) => one.figure === 'mails' && one.key === 'sent')
        ?.counts[0];
    };
    const before = (await mails()) ?? 0;
    assert.equal((await latchkey.auth('/v1/auth/password/forgot', { body: reset })).status, 202);
    await eventually(async () => assert.ok(((await mails()) ?? 0) > before));
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
    const there = await operator.call(`/console/v1/inbox?to=${ada.email}`, { headers: elsewhere });
    assert.deepEqual(there.body.items, []);
    expectProblem(await operator.call(path, { headers: elsewhere }), 404, 'NOT_FOUND');
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

describe('insight of three months', () => {
  let figures: TestResponse['body'];
  const monthOf = (monthsAgo: number) => new Date(fifthOf(monthsAgo)).toISOString().slice(0, 8).concat('01');
  /** The counts of a figure that are not zero, by key and date. */
  const counted = (figure: string) =>
    Object.fromEntries(
      figures.series
        .filter((one: { figure: string }) => one.figure === figure)
        .map(({ key, counts }: { key: string; counts: number[] }) => [
          key,
          Object.fromEntries(counts.flatMap((count, index) => (count > 0 ? [[figures.dates[index], count]] : []))),
        ]),
    );
  before(async () => {
    await signIn(bob, 'fr');
    figures = await onceCounted(
      '/console/v1/insight?days=100',
      ({ body, text }) => assert.equal(body.secondFactors.at(-1)?.active, 1, text),
      { 'x-environment': 'production' },
    );
  });

  const [first, second, today] = [dayOf(fifthOf(2)), dayOf(fifthOf(1)), dayOf(NOW.getTime())];

  test('registrations are counted on the day they began, each person once', () => {
    assert.deepEqual(counted('registration_steps'), {
      started: { [first]: 6, [second]: 1 },
      proven: { [first]: 5, [second]: 1 },
      finished: { [first]: 4, [second]: 1 },
    });
  });

  test('sign-ins are counted by the country that the proxy names', () => {
    const [nextDay, later] = [dayOf(fifthOf(2) + DAY_MS), dayOf(fifthOf(2) + 4 * DAY_MS)];
    assert.deepEqual(counted('sign_ins_by_country'), {
      DE: { [first]: 1, [second]: 2 },
      FR: { [first]: 1, [today]: 1 },
      unknown: { [nextDay]: 1, [later]: 1, [second]: 2 },
    });
  });

  test('people return by the month of their account', () => {
    assert.deepEqual(figures.cohorts.slice(-3), [
      // With the demo's owner, who never signs in.
      { month: monthOf(2), joined: 6, active: [4, 2, 1] },
      { month: monthOf(1), joined: 1, active: [1, 0] },
      { month: monthOf(0), joined: 0, active: [0] },
    ]);
  });

  test('adoption is the share of active people who signed in with two factors', () => {
    assert.deepEqual(figures.secondFactors.slice(-3), [
      { month: monthOf(2), active: 4, withTwoFactors: 0 },
      { month: monthOf(1), active: 3, withTwoFactors: 1 },
      { month: monthOf(0), active: 1, withTwoFactors: 0 },
    ]);
  });

  test('a session keeps the country; the event log never has it', async () => {
    const { rows } = await latchkey.system.pool.query(
      `select country, (select count(*) from events where counts is not null) as uncounted from sessions
       where country = 'FR' order by id desc limit 1`,
    );
    assert.deepEqual(rows, [{ country: 'FR', uncounted: 0 }]);
    const { rows: events } = await latchkey.system.pool.query(`select data from events where data::text like '%"FR"%'`);
    assert.deepEqual(events, []);
  });
});
