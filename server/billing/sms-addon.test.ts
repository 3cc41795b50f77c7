import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { removeMessages, sendMessage } from '#messages';
import {
  eventually,
  expectProblem,
  managementToken,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { CLUSTER } from '#tests/postgres.ts';
import { findOverdue, issueStatements, markPaid, unpaidStatements } from './statements.ts';
import { renewDue } from './subscription-store.ts';

const ADDON = '/v1/admin/billing/addons/sms';
const DAY = 86_400_000;
const TIERS = [
  { id: 'small', name: 'Small', currency: 'EUR', monthlyPrice: 1_000, included: 10, overagePrice: null, hardCap: 10 },
  { id: 'large', name: 'Large', currency: 'EUR', monthlyPrice: 4_000, included: 12, overagePrice: 7, hardCap: 20 },
].map((tier) => ({ ...tier, countries: ['DE', 'US'] }));

const clock = new TestClock(Date.parse('2027-01-31T09:00:00Z'));
let latchkey: TestLatchkey;
let token: string;

before(async () => {
  latchkey = await startTestLatchkey({ clock, settings: { LATCHKEY_SMS_TIERS: JSON.stringify(TIERS) } });
});
after(() => latchkey.stop());
beforeEach(async () => {
  token = await managementToken(latchkey, undefined, 'production');
});

const get = async (path: string): Promise<TestResponse['body']> => {
  const response = await latchkey.api(ADDON + path, { token }, 'production');
  assert.equal(response.status, 200, response.text);
  return response.body;
};
const post = (path: string, body: Record<string, unknown> = {}) =>
  latchkey.api(ADDON + path, { token, method: 'POST', body }, 'production');
const subscribe = (tierId: string) => post('/subscribe', { tierId });
const inProduction: TestLatchkey['inProject'] = (work) => latchkey.inProject(work, { environment: 'production' });
const send = (to = '+4915112345678', code = '12345678') =>
  inProduction((tx) => sendMessage(tx, { template: 'sms_code', to, variables: { code } }));
const settled = (used: number) =>
  eventually(async () => {
    const { used: now, reserved } = await get('/status');
    assert.deepEqual([now, reserved], [used, 0]);
  });
const typesSince = async (when: Date, like: string) => {
  const { rows } = await latchkey.system.pool.query(
    'select type, data from events where type like $1 and occurred_at >= $2 order by id',
    [like, when],
  );
  return rows;
};
const end = async () => {
  const { status } = await get('/status');
  if (!['inactive', 'canceled'].includes(status)) await post('/cancel', { atPeriodEnd: false });
  clock.advance(1000);
};

describe('the life of a subscription', () => {
  test('BL-3 the add-on is inactive until subscribed; the operator defines the tiers', async () => {
    assert.equal((await get('/status')).status, 'inactive');
    assert.deepEqual((await get('/tiers')).items, TIERS);
    expectProblem(await subscribe('huge'), 400, 'VALIDATION_FAILED');
    expectProblem(await post('/cancel'), 409, 'CONFLICT');
    expectProblem(await post('/resume'), 409, 'CONFLICT');
  });

  test('BL-3 subscribing starts a period and charges its price; a larger tier applies immediately and costs the prorated difference', async () => {
    const { status, body } = await subscribe('small');
    assert.equal(status, 200);
    assert.deepEqual(
      [body.status, body.tier.id, body.periodStart, body.periodEnd, body.remaining, body.hardCap, body.checkoutUrl],
      ['active', 'small', '2027-01-31T09:00:00.000Z', '2027-02-28T09:00:00.000Z', 10, 10, null],
    );
    clock.advance(14 * DAY);
    token = await managementToken(latchkey, undefined, 'production');
    const upgraded = await subscribe('large');
    assert.deepEqual([upgraded.body.tier.id, upgraded.body.hardCap, upgraded.body.nextTier], ['large', 20, null]);
    const { items } = await get('/usage');
    assert.deepEqual(
      items.map(({ kind, amount, currency }: Record<string, unknown>) => [kind, amount, currency]),
      [
        ['proration', 1_500, 'EUR'],
        ['fee', 1_000, 'EUR'],
      ],
    );
  });

  test('BL-3 a smaller tier applies from the next period, and can be withdrawn', async () => {
    assert.equal((await subscribe('small')).body.nextTier, 'small');
    assert.equal((await subscribe('large')).body.nextTier, null);
    const again = await subscribe('small');
    assert.deepEqual([again.body.tier.id, again.body.nextTier], ['large', 'small']);
    clock.advance(14 * DAY);
    token = await managementToken(latchkey, undefined, 'production');
    const next = await get('/status');
    assert.deepEqual(
      [next.tier.id, next.nextTier, next.periodStart, next.periodEnd],
      ['small', null, '2027-02-28T09:00:00.000Z', '2027-03-31T09:00:00.000Z'],
    );
  });

  test('BL-3 a subscription canceled at the end of its period sends until then, can be resumed, and ends', async () => {
    const canceling = await post('/cancel', { atPeriodEnd: true });
    assert.deepEqual([canceling.body.status, canceling.body.cancelAtPeriodEnd], ['canceling', true]);
    await send();
    await settled(1);
    assert.equal((await post('/resume')).body.status, 'active');
    await post('/cancel');
    clock.advance(31 * DAY);
    token = await managementToken(latchkey, undefined, 'production');
    await renewDue(latchkey.system);
    assert.equal((await get('/status')).status, 'canceled');
    await assert.rejects(send(), { code: 'ADDON_REQUIRED' });
  });

  test('BL-3 a subscription canceled immediately can be started again', async () => {
    await subscribe('large');
    const now = await post('/cancel', { atPeriodEnd: false });
    assert.deepEqual([now.body.status, now.body.remaining], ['canceled', 0]);
    assert.equal((await subscribe('small')).body.status, 'active');
    await end();
  });

  test('BL-4 twenty concurrent subscriptions start one, and write its price once', async () => {
    const began = clock.now();
    const responses = await Promise.all(
      Array.from({ length: 20 }, () =>
        fetch(`${latchkey.system.config.addresses.production.api}${ADDON}/subscribe`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ tierId: 'small' }),
        }),
      ),
    );
    assert.deepEqual([...new Set(responses.map(({ status }) => status))], [200]);
    const { rows } = await latchkey.system.pool.query(
      `select amount from sms_ledger where kind = 'fee' and created_at >= $1`,
      [began],
    );
    assert.deepEqual(rows, [{ amount: 1_000 }]);
    assert.equal((await typesSince(began, 'billing.addon.subscribed')).length, 1);
    await end();
  });

  test('BL-3 after a year without requests, the next one creates the twelve missing periods', async () => {
    await subscribe('small');
    const { periodStart } = await get('/status');
    clock.advance(366 * DAY);
    token = await managementToken(latchkey, undefined, 'production');
    const { periodStart: now } = await get('/status');
    const months = (instant: string) => Number(instant.slice(0, 4)) * 12 + Number(instant.slice(5, 7));
    assert.equal(months(now) - months(periodStart), 12);
    await end();
  });

  test('BL-5 403 without the permission to change, and with a scope that only reads', async () => {
    token = await managementToken(latchkey, 'billing:read', 'production');
    await get('/status');
    const refused = await subscribe('small');
    expectProblem(refused, 403, 'AUTHORIZATION_DENIED');
    assert.equal(refused.body.requiredPermission, 'billing:write');
  });
});

describe('metering', () => {
  test('BL-6 only ten of sixty concurrent messages are sent when ten segments are left, each metered once', async () => {
    await subscribe('small');
    const results = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) => send(`+49151${String(20_000_000 + index)}`)),
    );
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 10);
    for (const result of results)
      if (result.status === 'rejected') assert.equal(result.reason.code, 'PLAN_LIMIT_EXCEEDED', result.reason);
    await settled(10);
    const { items } = await get('/usage?limit=100');
    const { periodStart } = await get('/status');
    const segments = items.filter(
      (item: { kind: string; createdAt: string }) => item.kind === 'segment' && item.createdAt >= periodStart,
    );
    assert.equal(new Set(segments.map(({ reference }: { reference: string }) => reference)).size, 10);
    assert.equal(segments.length, 10);
    const warnings = await typesSince(new Date(periodStart), 'sms.limit.warning');
    assert.deepEqual(
      warnings.map(({ data }) => [data.percent, data.allowed]),
      [50, 80, 100].map((percent) => [percent, 10]),
    );
    await assert.rejects(send(), {
      code: 'PLAN_LIMIT_EXCEEDED',
      extensions: { limit: 'sms_segments', allowed: 10, current: 10, plan: 'small' },
    });
    const { rows } = await latchkey.system.pool.query(`select count(*) as waiting from sms_reservations`);
    assert.equal(rows[0].waiting, 0);
  });

  test('BL-6 a larger tier makes room immediately; segments beyond the included ones cost their price', async () => {
    await subscribe('large');
    // Twelve segments are included and ten are used. Each message takes two: it is UCS-2 and longer than 70 code units.
    await send('+4915112345678', 'ж'.repeat(50));
    await settled(12);
    await send('+4915112345678', 'ж'.repeat(50));
    await settled(14);
    const { items } = await get('/usage?limit=4');
    assert.deepEqual(
      items.map(({ part, amount, country }: Record<string, unknown>) => [part, amount, country]),
      [
        [2, 7, 'DE'],
        [1, 7, 'DE'],
        [2, 0, 'DE'],
        [1, 0, 'DE'],
      ],
    );
  });

  const divided = CLUSTER !== null && 'Citus has no triggers on divided tables, see docs/scale.md';
  test('BL-7 the ledger can only be added to, never changed or emptied', { skip: divided }, async () => {
    for (const statement of ['update sms_ledger set amount = 0', 'delete from sms_ledger', 'truncate sms_ledger']) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      await assert.rejects(latchkey.system.pool.query(statement), /append-only/);
    }
  });

  test('BL-8 a statement equals the sum of its period’s ledger; it can be paid manually, late and repeatedly', async () => {
    const { periodStart } = await get('/status');
    await post('/cancel', { atPeriodEnd: false });
    await issueStatements(latchkey.system);
    await issueStatements(latchkey.system);
    const { items } = await get('/statements');
    const [statement] = items.filter((item: { periodStart: string }) => item.periodStart === periodStart);
    const { items: entries } = await get(`/usage?limit=100&periodId=${statement.periodId}`);
    const sum = entries.reduce((total: number, { amount }: { amount: number }) => total + amount, 0);
    assert.deepEqual([statement.segments, statement.overage, statement.total], [14, 14, sum]);
    assert.deepEqual(await get(`/statements/${statement.id}`), statement);

    clock.advance(1000);
    await subscribe('small');
    clock.advance(15 * DAY);
    await findOverdue(latchkey.system);
    token = await managementToken(latchkey, undefined, 'production');
    assert.equal((await get('/status')).status, 'past_due');
    // Messages are still sent for a week.
    await send();
    clock.advance(8 * DAY);
    await assert.rejects(send(), { code: 'ADDON_REQUIRED' });
    token = await managementToken(latchkey, undefined, 'production');
    expectProblem(await subscribe('large'), 409, 'CONFLICT');
    for (const { id } of await unpaidStatements(latchkey.system)) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      await markPaid(latchkey.system, id);
      await markPaid(latchkey.system, id);
    }
    assert.equal((await get('/status')).status, 'active');
    const { rows } = await latchkey.system.pool.query(
      `select count(*) as payments, sum(amount) as amount from sms_ledger where kind = 'payment' and reference = $1`,
      [statement.id],
    );
    assert.deepEqual(rows, [{ payments: 1, amount: String(-statement.total) }]);
    await send();
    await end();
  });

  test('BL-8 a cancellation survives an overdue payment; a project that owes money cannot subscribe again', async () => {
    await subscribe('small');
    await post('/cancel', { atPeriodEnd: false });
    await issueStatements(latchkey.system);
    clock.advance(1000);
    await subscribe('small');
    clock.advance(15 * DAY);
    await findOverdue(latchkey.system);
    token = await managementToken(latchkey, undefined, 'production');
    assert.deepEqual((await post('/cancel')).body.status, 'canceling');
    assert.equal((await post('/resume')).body.status, 'past_due');
    await post('/cancel');
    clock.advance(8 * DAY);
    await assert.rejects(send(), { code: 'ADDON_REQUIRED' });
    token = await managementToken(latchkey, undefined, 'production');
    await post('/cancel', { atPeriodEnd: false });
    expectProblem(await subscribe('small'), 409, 'CONFLICT');
    await Promise.all((await unpaidStatements(latchkey.system)).map(({ id }) => markPaid(latchkey.system, id)));
    assert.equal((await subscribe('small')).body.status, 'active');
    await end();
  });

  test('BL-8 a statement of another project is not found', async () => {
    const unknown = await latchkey.api(`${ADDON}/statements/stm_01kaz3w9hqf8p9n2m4v5x6y7z8`, { token }, 'production');
    expectProblem(unknown, 404, 'NOT_FOUND');
    expectProblem(await latchkey.api(`${ADDON}/usage?cursor=forged`, { token }, 'production'), 400, 'INVALID_CURSOR');
  });

  test('BL-6 a text message to a person who is erased meanwhile leaves no reservation, which would keep its statement open', async () => {
    await end();
    await subscribe('small');
    const to = '+4915112345679';
    const variables = { code: '12345678' };
    await inProduction(async (tx) => {
      await sendMessage(tx, { template: 'sms_code', to, variables });
      await removeMessages(tx, [to]);
    });
    assert.deepEqual([(await get('/status')).used, (await get('/status')).reserved], [0, 0]);
    await inProduction(async (tx) => {
      await sendMessage(tx, { template: 'sms_code', to, variables });
      await tx.db
        .updateTable('messages')
        .set({ status: 'sending', provider: 'carrier', sending_since: tx.now })
        .where('workspace_id', '=', tx.scope.workspaceId)
        .where('recipient', '=', to)
        .execute();
      await removeMessages(tx, [to]);
    });
    assert.deepEqual([(await get('/status')).used, (await get('/status')).reserved], [1, 0], 'it may have been sent');
    await end();
    await issueStatements(latchkey.system);
    const [statement] = (await get('/statements')).items;
    assert.deepEqual([statement.segments, statement.total], [1, 1_000]);
    await markPaid(latchkey.system, statement.id);
  });
});

describe('the test environment', () => {
  test('BL-9 sends without a subscription, contacts no carrier and charges nothing', async () => {
    const test = await managementToken(latchkey);
    const to = '+4915155550001';
    await latchkey.inProject((tx) => sendMessage(tx, { template: 'sms_code', to, variables: { code: '12345678' } }));
    await eventually(async () => {
      const { body } = await latchkey.api('/v1/admin/messages', { token: test });
      assert.deepEqual([body.items[0].to, body.items[0].provider], [to, 'simulated']);
    });
    const subscribed = await latchkey.api(`${ADDON}/subscribe`, { token: test, body: { tierId: 'large' } });
    assert.deepEqual([subscribed.body.status, subscribed.body.simulated], ['active', true]);
    const { body } = await latchkey.api(`${ADDON}/usage`, { token: test });
    assert.deepEqual(body.items, []);
  });
});
