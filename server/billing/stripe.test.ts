import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { projectOf } from '#environments';
import { sendMessage } from '#messages';
import { systemCtx } from '#platform/ctx.ts';
import { closePlace, isClosed, renamePlace } from '#tenancy';
import {
  eventually,
  expectProblem,
  managementToken,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { invoiceOf, type LocalStripe, noticeOf, startStripe } from '#tests/stripe.ts';
import { reportUsage } from './payment-reports.ts';
import { askForCheckout, startSubscription } from './payments.ts';
import { requireSettled } from './settled.ts';
import { issueStatements, unpaidStatements } from './statements.ts';
import { removeOldNotices } from './stripe-notices.ts';

const ADDON = '/v1/admin/billing/addons/sms';
const DAY = 86_400_000;
const TIERS = [
  { id: 'small', name: 'Small', monthlyPrice: 1_000, included: 1, overagePrice: 7, hardCap: 100 },
  { id: 'large', name: 'Large', monthlyPrice: 4_000, included: 50, overagePrice: 5, hardCap: 500 },
].map((tier) => ({
  ...tier,
  currency: 'EUR',
  countries: null,
  stripePrice: `price_${tier.id}`,
  stripeOveragePrice: `price_${tier.id}_over`,
}));

const clock = new TestClock(Date.parse('2027-01-31T09:00:00.500Z'));
let stripe: LocalStripe;
let latchkey: TestLatchkey;
let token: string;

before(async () => {
  stripe = await startStripe();
  const settings = { LATCHKEY_SMS_TIERS: JSON.stringify(TIERS), LATCHKEY_PAYMENTS_URL: stripe.url };
  latchkey = await startTestLatchkey({ clock, settings });
});
after(async () => {
  await latchkey.stop();
  stripe.stop();
});
beforeEach(async () => {
  stripe.mood = 'well';
  stripe.asked.length = 0;
  token = await managementToken(latchkey, undefined, 'production');
});

const status = async (): Promise<TestResponse['body']> => {
  const response = await latchkey.api(`${ADDON}/status`, { token }, 'production');
  assert.equal(response.status, 200, response.text);
  return response.body;
};
const post = (path: string, body: Record<string, unknown> = {}) =>
  latchkey.api(ADDON + path, { token, method: 'POST', body }, 'production');
const subscribe = (tierId: string) => post('/subscribe', { tierId });
const deliver = async ({ body, signature }: { body: string; signature: string }): Promise<Response> =>
  fetch(`${latchkey.system.config.addresses.production.api}/v1/callbacks/stripe`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': signature },
    body,
  });
const tell = async (type: string, object: unknown): Promise<number> =>
  (await deliver(noticeOf(type, object, clock.now()))).status;
/** The customer pays in the newest checkout. */
const pay = () => stripe.pay([...stripe.sessions.keys()].at(-1) ?? '', clock.now());
/** The newest subscription at the provider. */
const theirs = () => {
  const [newest] = [...stripe.subscriptions.values()].slice(-1);
  assert.ok(newest);
  return { ...newest, prices: newest.items.data.map(({ price }) => price.id).sort() };
};
const ledger = async (kind: string) => {
  const { rows } = await latchkey.system.pool.query(
    'select id, reference, amount from sms_ledger where kind = $1 order by id',
    [kind],
  );
  return rows;
};
const send = async (count: number) => {
  const { used } = await status();
  for (let index = 0; index < count; index += 1)
    // biome-ignore lint/performance/noAwaitInLoops: one after the other
    await latchkey.inProject(
      (tx) => sendMessage(tx, { template: 'sms_code', to: '+4915112345678', variables: { code: '12345678' } }),
      { environment: 'production' },
    );
  await eventually(async () => assert.equal((await status()).used, used + count));
};
const runJobs = () =>
  latchkey.system.pool.query('update graphile_worker._private_jobs set run_at = now() where locked_at is null');

describe('subscribing through Stripe', () => {
  test('BL-10 while Stripe does not respond, a subscription cannot start: 503, and nothing changes', async () => {
    stripe.mood = 'away';
    const response = await subscribe('small');
    expectProblem(response, 503, 'SERVICE_UNAVAILABLE');
    assert.ok(response.headers.get('retry-after'));
    assert.equal((await status()).status, 'inactive');
  });

  test('BL-10 a subscription starts in a Stripe checkout, for a customer that names the project, and is inactive until paid', async () => {
    const { body } = await subscribe('small');
    assert.deepEqual([body.status, body.payment], ['inactive', 'stripe']);
    const [customer, session] = stripe.asked;
    assert.deepEqual([customer?.path, session?.path], ['/v1/customers', '/v1/checkout/sessions']);
    const { workspaceId, projects } = latchkey.demo;
    const scope = { workspaceId, projectId: projects[0]?.id, environment: 'production' };
    assert.deepEqual(customer?.fields['metadata'], { latchkey: 'sms', ...scope });
    assert.deepEqual(Object.values(session?.fields['line_items']), [
      { price: 'price_small', quantity: '1' },
      { price: 'price_small_over' },
    ]);
    assert.equal(body.checkoutUrl, [...stripe.sessions.values()].at(-1)?.['url']);
    expectProblem(await subscribe('gone'), 400, 'VALIDATION_FAILED');
    await subscribe('small');
    const customers = new Set([...stripe.sessions.values()].map((made) => made['customer']));
    assert.equal(customers.size, 1, 'pressing the button twice makes one customer');
  });

  test('BL-10 a project that is renamed before it has paid can still go to the checkout', async () => {
    const { workspaceId, projects } = latchkey.demo;
    const scope = { workspaceId, projectId: projects[1]?.id ?? 'prj_', environment: 'production' } as const;
    const ctx = systemCtx(latchkey.system, scope, 'test', 'test');
    assert.ok(await askForCheckout(ctx, 'small'));
    await latchkey.inProject((tx) => renamePlace(tx, scope.projectId, 'Renamed'), scope);
    await eventually(async () => assert.equal((await projectOf(latchkey.system, scope)).projectName, 'Renamed'));
    assert.ok(await askForCheckout(ctx, 'small'));
    stripe.sessions.clear();
    assert.equal((await subscribe('small')).status, 200);
  });

  test('BL-10 no subscription starts unpaid when the earlier one ended meanwhile', async () => {
    const [project] = latchkey.demo.projects;
    assert.ok(project);
    const scope = { workspaceId: latchkey.demo.workspaceId, projectId: project.id, environment: 'production' } as const;
    const ctx = systemCtx(latchkey.system, scope, 'test', 'test');
    await assert.rejects(startSubscription(ctx, 'small', null), { code: 'CONFLICT' });
    assert.equal((await status()).status, 'inactive');
  });

  test('BL-11 a webhook with an invalid or old signature changes nothing', async () => {
    const { session } = pay();
    const now = clock.now();
    const type = 'checkout.session.completed';
    const good = noticeOf(type, session, now);
    const old = new Date(now.getTime() - 600_000);
    const wrong = [
      noticeOf(type, session, now, 'whsec_guessed'),
      noticeOf(type, session, old),
      { ...good, body: good.body.replace('small', 'large') },
      { ...good, signature: 't=1,v1=00' },
    ];
    const responses = await Promise.all(wrong.map(deliver));
    assert.deepEqual([...new Set(responses.map((response) => response.status))], [401]);
    assert.equal((await status()).status, 'inactive');
    stripe.subscriptions.clear();
  });

  test('BL-11 webhooks may arrive in any order and repeatedly: the subscription starts once, with Stripe’s periods', async () => {
    const { session, subscription } = pay();
    const invoice = invoiceOf(subscription, 1_000);
    assert.equal(await tell('invoice.payment_failed', invoice), 204, 'nothing is overdue before it begins');
    const invoiced = noticeOf('invoice.paid', invoice, clock.now());
    const notice = noticeOf('checkout.session.completed', session, clock.now());
    const responses = await Promise.all(Array.from({ length: 5 }, () => [invoiced, notice].map(deliver)).flat());
    assert.deepEqual([...new Set(responses.map((response) => response.status))], [204]);
    const { status: state, tier, periodStart, periodEnd } = await status();
    assert.deepEqual(
      [state, tier.id, periodStart, periodEnd],
      ['active', 'small', '2027-01-31T09:00:00.000Z', '2027-02-28T09:00:00.000Z'],
    );
    assert.equal((await ledger('fee')).length, 1);
    assert.equal(await tell('invoice.paid', invoice), 204);
    assert.equal(await tell('invoice.paid', invoice), 204);
    assert.deepEqual(
      (await ledger('payment')).map(({ reference, amount }) => [reference, amount]),
      [[invoice.id, -1_000]],
    );
    assert.equal(await tell('customer.created', { id: 'cus_1', object: 'customer' }), 204);
  });

  test('BL-11 two paid checkouts make one subscription: the second ends at Stripe and is credited', async () => {
    const { session, subscription } = pay();
    const invoice = invoiceOf(subscription, 1_000);
    assert.equal(await tell('invoice.paid', invoice), 204, 'Stripe does not repeat the webhook for days');
    assert.equal(await tell('checkout.session.completed', session), 204);
    await eventually(async () => assert.equal(stripe.subscriptions.get(subscription.id)?.status, 'canceled'));
    const ended = stripe.asked.find(({ method }) => method === 'DELETE');
    assert.deepEqual(ended?.fields, { invoice_now: 'true', prorate: 'true' });
    assert.equal(await tell('invoice.paid', invoice), 204);
    assert.equal((await ledger('payment')).length, 1, 'its invoice pays for nothing here');
    stripe.subscriptions.delete(subscription.id);
    assert.equal((await status()).status, 'active');
  });
});

describe('usage', () => {
  test('BL-12 an outage of Stripe loses no ledger row, and a repeated report counts once', async () => {
    stripe.mood = 'away';
    await send(3);
    const charged = (await ledger('segment')).filter(({ amount }) => amount > 0);
    assert.deepEqual(
      charged.map(({ amount }) => amount),
      [7, 7],
      'one of three is included',
    );
    await reportUsage(latchkey.system);
    assert.equal(stripe.meterEvents.size, 0);
    clock.advance(60_000);
    stripe.mood = 'mute';
    await reportUsage(latchkey.system);
    assert.equal(stripe.meterEvents.size, 1, 'accepted, but the response was lost');
    stripe.mood = 'well';
    clock.advance(2 * 3_600_000);
    await reportUsage(latchkey.system);
    await reportUsage(latchkey.system);
    assert.deepEqual([...stripe.meterEvents.keys()].sort(), charged.map(({ id }) => id).sort());
    const [event] = stripe.meterEvents.values();
    assert.deepEqual(
      [event?.['event_name'], event?.['payload']],
      ['latchkey_sms_overage', { stripe_customer_id: theirs().customer, value: '1' }],
    );
    const { rows } = await latchkey.system.pool.query('select from sms_payment_reports');
    assert.equal(rows.length, 0);
  });
});

describe('changes', () => {
  test('BL-13 a larger tier applies immediately; Stripe gets its prices and charges the amounts of the ledger', async () => {
    clock.advance(14 * DAY - 2 * 3_600_000 - 60_500);
    token = await managementToken(latchkey, undefined, 'production');
    const { body } = await subscribe('large');
    assert.deepEqual([body.tier.id, body.checkoutUrl], ['large', null]);
    await eventually(async () => assert.deepEqual(theirs().prices, ['price_large', 'price_large_over']));
    const [proration] = await ledger('proration');
    assert.equal(proration.amount, 1_500);
    await reportUsage(latchkey.system);
    const [item] = stripe.invoiceItems;
    assert.deepEqual([item?.['customer'], item?.['amount'], item?.['currency']], [theirs().customer, '1500', 'eur']);
    const changed = stripe.asked.find(({ method, path }) => method === 'POST' && path.includes('/subscriptions/'));
    assert.equal(changed?.fields['proration_behavior'], 'none');
  });

  test('BL-13 a smaller tier: Stripe gets its price before the next period, and its segment price when the period is over', async () => {
    await subscribe('small');
    await eventually(async () => assert.deepEqual(theirs().prices, ['price_large_over', 'price_small']));
    clock.advance(14 * DAY);
    token = await managementToken(latchkey, undefined, 'production');
    assert.equal((await status()).tier.id, 'small');
    await eventually(async () => assert.deepEqual(theirs().prices, ['price_small', 'price_small_over']));
    assert.equal(stripe.invoiceItems.length, 1);
  });

  test('BL-13 a statement billed by Stripe is not listed for manual payment, and is paid when Stripe reports it', async () => {
    await issueStatements(latchkey.system);
    assert.deepEqual(await unpaidStatements(latchkey.system), []);
    const list = async () => (await latchkey.api(`${ADDON}/statements`, { token }, 'production')).body.items;
    const [statement] = await list();
    assert.deepEqual([statement.payment, statement.total, statement.paidAt], ['stripe', 2_514, null]);
    await tell('invoice.paid', invoiceOf(theirs(), 1_000 + 1_514));
    assert.ok((await list())[0].paidAt);
  });

  test('BL-14 a subscription can be canceled at the end of its period, and resumed', async () => {
    assert.equal((await post('/cancel')).body.status, 'canceling');
    await eventually(async () => assert.equal(theirs().cancel_at_period_end, true));
    assert.equal((await post('/resume')).body.status, 'active');
    await eventually(async () => assert.equal(theirs().cancel_at_period_end, false));
  });

  test('BL-14 a failed payment makes it past due, a successful one active; a cancellation survives both', async () => {
    const failed = () => tell('invoice.payment_failed', invoiceOf(theirs(), 0));
    await failed();
    const { status: state, pastDueSince } = await status();
    assert.deepEqual([state, pastDueSince], ['past_due', clock.now().toISOString()]);
    expectProblem(await subscribe('large'), 409, 'CONFLICT');
    const invoice = invoiceOf(theirs(), 1_000);
    const late = noticeOf('invoice.payment_failed', invoice, clock.now());
    await deliver(late);
    await tell('invoice.paid', invoice);
    assert.equal((await status()).status, 'active');
    await deliver(late);
    await tell('invoice.payment_failed', invoice);
    assert.equal((await status()).status, 'active', 'notices that come late or again change nothing');
    await post('/cancel');
    await failed();
    assert.equal((await status()).status, 'canceling');
    await tell('invoice.paid', invoiceOf(theirs(), 1_000));
    const paid = await status();
    assert.deepEqual([paid.status, paid.pastDueSince], ['canceling', null]);
  });

  test('BL-14 canceled immediately: Stripe gets every charge before its subscription ends', async () => {
    stripe.mood = 'away';
    await send(2);
    assert.equal((await post('/cancel', { atPeriodEnd: false })).body.status, 'canceled');
    stripe.mood = 'well';
    await runJobs();
    await eventually(async () => {
      const { rows } = await latchkey.system.pool.query(
        `select from graphile_worker.jobs where task_identifier = 'sync_payment' and last_error like '%all charges%'`,
      );
      assert.equal(rows.length, 1);
    });
    assert.equal(theirs().status, 'active');
    const known = stripe.meterEvents.size;
    clock.advance(60_000);
    await reportUsage(latchkey.system);
    assert.equal(stripe.meterEvents.size, known + 1);
    await eventually(async () => {
      await runJobs();
      assert.equal(theirs().status, 'canceled');
    });
    assert.deepEqual(stripe.asked.at(-1)?.fields, { invoice_now: 'true' });
  });

  test('BL-14 the same customer can subscribe again; a subscription that ends at Stripe ends here', async () => {
    const before = theirs().customer;
    await subscribe('large');
    const { session, subscription } = pay();
    assert.equal(subscription.customer, before);
    await tell('checkout.session.completed', session);
    assert.equal((await status()).status, 'active');
    await tell('customer.subscription.deleted', { id: subscription.id, object: 'subscription' });
    assert.equal((await status()).status, 'canceled');
    assert.equal(await tell('customer.subscription.deleted', { id: 'sub_unknown', object: 'subscription' }), 204);
  });

  test('BL-11 a subscription that ended at Stripe before its checkout arrived does not start', async () => {
    await subscribe('large');
    const { session, subscription } = pay();
    subscription.status = 'canceled';
    assert.equal(await tell('customer.subscription.deleted', subscription), 204);
    assert.equal(await tell('checkout.session.completed', session), 204);
    const invoice = invoiceOf(subscription, 1_000);
    assert.equal(await tell('invoice.paid', invoice), 204);
    stripe.subscriptions.delete(subscription.id);
    assert.equal(await tell('invoice.paid', invoice), 204, 'Stripe no longer has it');
    assert.equal((await status()).status, 'canceled');
  });

  test('BL-11 an invoice that is paid starts a subscription whose checkout Stripe never reports', async () => {
    await subscribe('large');
    const { session, subscription } = pay();
    const invoice = invoiceOf(subscription, 4_000);
    stripe.mood = 'away';
    assert.equal(await tell('invoice.paid', invoice), 503, 'repeated later');
    stripe.mood = 'well';
    assert.equal(await tell('invoice.paid', invoice), 204);
    assert.equal((await status()).status, 'active');
    assert.equal((await ledger('payment')).at(-1)?.reference, invoice.id);
    assert.equal((await post('/cancel', { atPeriodEnd: false })).body.status, 'canceled');
    assert.equal(await tell('checkout.session.completed', session), 204);
    assert.equal((await status()).status, 'canceled', 'a late webhook does not start it again');
  });

  test('BL-11 a checkout that is paid after its project was deleted ends at Stripe and is credited', async () => {
    const { workspaceId, projects } = latchkey.demo;
    const scope = { workspaceId, projectId: projects[1]?.id ?? 'prj_', environment: 'production' } as const;
    await askForCheckout(systemCtx(latchkey.system, scope, 'test', 'test'), 'small');
    await latchkey.inProject((tx) => closePlace(tx, scope.projectId), scope);
    await eventually(async () => assert.ok(await isClosed(latchkey.system, scope)));
    const { session, subscription } = pay();
    assert.equal(await tell('invoice.paid', invoiceOf(subscription, 1_000)), 204);
    assert.equal(await tell('checkout.session.completed', session), 204);
    await eventually(async () => assert.equal(stripe.subscriptions.get(subscription.id)?.status, 'canceled'));
    const ended = stripe.asked.find(({ method }) => method === 'DELETE');
    assert.deepEqual(ended?.fields, { invoice_now: 'true', prorate: 'true' });
    await latchkey.inProject((tx) => requireSettled(tx, scope), scope);
  });

  test('BL-9 the test environment never calls Stripe', async () => {
    const test = await managementToken(latchkey);
    const { body } = await latchkey.api(`${ADDON}/subscribe`, { token: test, body: { tierId: 'large' } });
    assert.deepEqual([body.status, body.checkoutUrl, body.payment], ['active', null, 'manual']);
    assert.deepEqual(stripe.asked, []);
  });
});

test('BL-11 records of processed webhooks are deleted once those cannot arrive again', async () => {
  const taken = async () => (await latchkey.system.pool.query('select from payment_notices')).rowCount ?? 0;
  assert.ok((await taken()) > 0);
  await latchkey.system.pool.query(`insert into payment_notices values ('evt_of_today', $1) on conflict do nothing`, [
    clock.now(),
  ]);
  clock.advance(29 * DAY);
  await removeOldNotices(latchkey.system);
  assert.ok((await taken()) > 0);
  clock.advance(2 * DAY);
  await removeOldNotices(latchkey.system);
  assert.equal(await taken(), 0);
});
