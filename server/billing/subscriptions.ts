import { type Static, Type } from 'typebox';
import { emit } from '#events';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import { problem } from '#platform/problem.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import type { SmsTier } from '#platform/sms-tiers.ts';
import { appendEntries } from './ledger.ts';
import { queueReports } from './payment-reports.ts';
import { syncPayment } from './payment-sync.ts';
import { periodOf, prorated } from './periods.ts';
import { requirePaidUp } from './statements.ts';
import {
  beginSubscription,
  change,
  currentSubscription,
  endSubscription,
  lockSubscription,
  type Payment,
  type Subscription,
} from './subscription-store.ts';
import { isBigger, requireTier, shownTier, Tier } from './tiers.ts';
import { findPeriod, raiseTerms } from './usage.ts';

const instant = nullable(Instant);
const OrNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

/** The state of the add-on. */
export const AddOnStatus = Type.Object(
  {
    status: Type.Enum(['inactive', 'active', 'canceling', 'canceled', 'past_due']),
    simulated: Type.Boolean({
      description: 'The test environment: no carrier sends anything, and nothing is charged.',
    }),
    tier: OrNull(Tier),
    nextTier: Type.Union([Type.String(), Type.Null()], {
      description: 'The tier of the next period, if it changes.',
    }),
    periodStart: instant,
    periodEnd: instant,
    included: Type.Integer({ description: 'Segments without extra charge.' }),
    used: Type.Integer({ description: 'Segments that carriers accepted.' }),
    reserved: Type.Integer({ description: 'Segments of messages in transit.' }),
    remaining: Type.Integer({ description: 'Segments that can still be sent in this period.' }),
    hardCap: Type.Integer({ description: 'The maximum number of segments in this period.' }),
    cancelAtPeriodEnd: Type.Boolean(),
    pastDueSince: instant,
    payment: Type.Enum(['manual', 'stripe']),
  },
  { title: 'SmsAddOn' },
);
export type AddOnStatus = Static<typeof AddOnStatus>;

const NOTHING = {
  tier: null,
  nextTier: null,
  periodStart: null,
  periodEnd: null,
  included: 0,
  used: 0,
  reserved: 0,
  remaining: 0,
  hardCap: 0,
  cancelAtPeriodEnd: false,
  pastDueSince: null,
};

/** The subscription of the scope and the remaining segments of its period. */
export async function addOnStatus(ctx: Ctx | TxCtx): Promise<AddOnStatus> {
  const subscription = await currentSubscription(ctx);
  const simulated = ctx.scope.environment === 'test';
  const payment = ctx.system.config.paymentsUrl === null || simulated ? 'manual' : 'stripe';
  if (!subscription) return { status: 'inactive', simulated, payment, ...NOTHING };
  const { status, terms } = subscription;
  if (status === 'canceled')
    return { status, simulated, payment: subscription.payment, ...NOTHING, tier: shownTier(terms) };
  const period = await findPeriod(ctx, subscription.period_id);
  return {
    status,
    simulated,
    tier: shownTier(terms),
    nextTier: subscription.next_tier_id,
    periodStart: period.starts_at.toISOString(),
    periodEnd: period.ends_at.toISOString(),
    included: terms.included,
    used: period.used,
    reserved: period.reserved,
    remaining: Math.max(0, terms.hardCap - period.used - period.reserved),
    hardCap: terms.hardCap,
    cancelAtPeriodEnd: status === 'canceling',
    pastDueSince: subscription.past_due_since?.toISOString() ?? null,
    payment: subscription.payment,
  };
}

const BY_HAND: Payment = { payment: 'manual', customer_ref: null, subscription_ref: null };

/**
 * Subscribes, or changes the tier: a bigger tier applies at once, with a prorated charge; another one with the next
 * period. Choosing the current tier withdraws a scheduled change or a cancellation.
 * @param payment how a new subscription is paid; null: none may start before it is paid elsewhere
 * @throws Problem VALIDATION_FAILED for a tier that is not offered, CONFLICT while a payment is overdue
 */
export async function subscribe(tx: TxCtx, tierId: string, payment: Payment | null = BY_HAND): Promise<Subscription> {
  const tier = requireTier(tx.system, tierId);
  await requirePaidUp(tx);
  const begin = async () => (payment === null ? undefined : beginSubscription(tx, tier, payment));
  const begun = await begin();
  if (begun) return begun;
  const subscription = await lockSubscription(tx);
  // It may have ended while this call waited for the lock.
  if (!subscription || subscription.status === 'canceled') return (await begin()) ?? missing();
  return changeTier(tx, subscription, tier);
}

function missing(): never {
  throw problem('CONFLICT', 'The add-on has ended; subscribe again.');
}

async function changeTier(tx: TxCtx, subscription: Subscription, tier: SmsTier): Promise<Subscription> {
  if (subscription.past_due_since !== null)
    throw problem('CONFLICT', 'A payment is overdue; pay it before you change the tier.');
  if (tier.id === subscription.terms.id) return keepTier(tx, subscription);
  const running = subscription.status === 'canceling' ? await resumeLocked(tx, subscription) : subscription;
  return isBigger(tier, running.terms) ? upgrade(tx, running, tier) : schedule(tx, running, tier.id);
}

async function keepTier(tx: TxCtx, subscription: Subscription): Promise<Subscription> {
  const running = subscription.status === 'canceling' ? await resumeLocked(tx, subscription) : subscription;
  return running.next_tier_id === null ? running : schedule(tx, running, running.terms.id);
}

async function schedule(tx: TxCtx, { terms, period_end: end }: Subscription, tierId: string): Promise<Subscription> {
  await emit(tx, 'billing.addon.change_scheduled', { addon: 'sms', tierId, at: end.toISOString() });
  const scheduled = await change(tx, { next_tier_id: tierId === terms.id ? null : tierId });
  await syncPayment(tx, scheduled);
  return scheduled;
}

async function upgrade(tx: TxCtx, subscription: Subscription, tier: SmsTier): Promise<Subscription> {
  const { terms, period_id: periodId, anchor, period_number: number } = subscription;
  const more = prorated(tier.monthlyPrice - terms.monthlyPrice, periodOf(anchor, number), tx.now);
  const proration = tx.scope.environment === 'test' ? 0 : more;
  const { currency } = tier;
  const reference = `${terms.id}>${tier.id} ${tx.now.toISOString()} ${periodId}`;
  const entry = { period_id: periodId, kind: 'proration' as const, reference, part: 1, amount: proration, currency };
  const charged = await appendEntries(tx, proration > 0 ? [entry] : []);
  await queueReports(tx, subscription.customer_ref, charged);
  await raiseTerms(tx, periodId, tier);
  const changed = await change(tx, { terms: JSON.stringify(tier), next_tier_id: null });
  await emit(tx, 'billing.addon.changed', {
    addon: 'sms',
    tierId: tier.id,
    fromTierId: terms.id,
    proration,
    currency,
  });
  await syncPayment(tx, changed);
  return changed;
}

/**
 * Cancels now or at the end of the period. The price of a period is not refunded.
 * @throws Problem CONFLICT when there is no active subscription
 */
export async function cancel(ctx: Ctx, atPeriodEnd: boolean): Promise<AddOnStatus> {
  return transaction(ctx, async (tx) => {
    const subscription = await lockRunning(tx);
    if (!atPeriodEnd) await endSubscription(tx, subscription, 'requested');
    else if (subscription.status !== 'canceling') await cancelLater(tx, subscription);
    return addOnStatus(tx);
  });
}

async function cancelLater(tx: TxCtx, subscription: Subscription): Promise<void> {
  const { terms, period_end: end } = subscription;
  await emit(tx, 'billing.addon.canceling', { addon: 'sms', tierId: terms.id, at: end.toISOString() });
  await syncPayment(tx, await change(tx, { status: 'canceling', next_tier_id: null }));
}

/**
 * Withdraws a cancellation before the period ends.
 * @throws Problem CONFLICT when none is scheduled
 */
export async function resume(ctx: Ctx): Promise<AddOnStatus> {
  return transaction(ctx, async (tx) => {
    const subscription = await lockRunning(tx);
    if (subscription.status !== 'canceling') throw problem('CONFLICT', 'The add-on is not being cancelled.');
    await resumeLocked(tx, subscription);
    return addOnStatus(tx);
  });
}

async function resumeLocked(tx: TxCtx, { terms, past_due_since: overdue }: Subscription): Promise<Subscription> {
  await emit(tx, 'billing.addon.resumed', { addon: 'sms', tierId: terms.id });
  const resumed = await change(tx, { status: overdue === null ? 'active' : 'past_due' });
  await syncPayment(tx, resumed);
  return resumed;
}

async function lockRunning(tx: TxCtx): Promise<Subscription> {
  const subscription = await lockSubscription(tx);
  if (!subscription || subscription.status === 'canceled')
    throw problem('CONFLICT', 'The SMS add-on is not active; subscribe first.');
  return subscription;
}
