import { type Selectable, sql } from 'kysely';
import { emit } from '#events';
import { type Ctx, type Environment, type Scope, systemCtx, type TxCtx, transaction } from '#platform/ctx.ts';
import type { Json } from '#platform/db.ts';
import { newId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { eachAlone } from '#platform/repeating.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import type { SmsTier } from '#platform/sms-tiers.ts';
import type { System } from '#platform/system.ts';
import { appendEntries } from './ledger.ts';
import { syncPayment } from './payment-sync.ts';
import { periodOf } from './periods.ts';
import { termsOfNext } from './tiers.ts';
import { closePeriod, openPeriod, type PeriodId, type SubscriptionId } from './usage.ts';

type SubscriptionStatus = 'active' | 'canceling' | 'canceled' | 'past_due';

type SubscriptionsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  id: SubscriptionId;
  status: SubscriptionStatus;
  terms: Json<SmsTier>;
  next_tier_id: string | null;
  anchor: Date;
  period_number: number;
  period_id: PeriodId;
  period_end: Date;
  past_due_since: Date | null;
  canceled_at: Date | null;
  payment: 'manual' | 'stripe';
  customer_ref: string | null;
  subscription_ref: string | null;
  created_at: Date;
  updated_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    sms_subscriptions: SubscriptionsTable;
  }
}

export type Subscription = Selectable<SubscriptionsTable>;

/** How a subscription is paid. */
export type Payment = Pick<Subscription, 'payment' | 'customer_ref' | 'subscription_ref'>;

/** A subscription ends after being past due for this long, in milliseconds. */
const PAST_DUE_MS = 30 * 86_400_000;

/** The stored subscription of the scope. Served by the primary key. */
function readSubscription(ctx: Ctx | TxCtx): Promise<Subscription | undefined> {
  return ofScope(ctx).executeTakeFirst();
}

function ofScope(ctx: Ctx | TxCtx) {
  return ctx.db.selectFrom('sms_subscriptions').selectAll().where(inScope(ctx));
}

/** True when the period is over and not yet renewed. */
function isDue(subscription: Subscription, now: Date): boolean {
  return subscription.status !== 'canceled' && subscription.period_end <= now;
}

/** The subscription in its current period, even if the worker has not renewed it yet. */
export async function currentSubscription(ctx: Ctx | TxCtx): Promise<Subscription | undefined> {
  const found = await readSubscription(ctx);
  return found && isDue(found, ctx.now) ? transaction(ctx, lockSubscription) : found;
}

/** Locks the subscription against changes until the transaction ends. The lock is shared. */
export async function holdSubscription(tx: TxCtx): Promise<Subscription | undefined> {
  await currentSubscription(tx);
  return ofScope(tx).forShare().executeTakeFirst();
}

/** The current subscription, locked exclusively until the transaction ends. */
export async function lockSubscription(tx: TxCtx): Promise<Subscription | undefined> {
  let subscription = await ofScope(tx).forUpdate().executeTakeFirst();
  while (subscription && isDue(subscription, tx.now)) {
    // biome-ignore lint/performance/noAwaitInLoops: one period after the other
    subscription = await passPeriodEnd(tx, subscription);
  }
  return subscription;
}

/** At the end of a period, ends the subscription or starts its next period. */
async function passPeriodEnd(tx: TxCtx, subscription: Subscription): Promise<Subscription> {
  const unpaid = subscription.past_due_since;
  if (subscription.status === 'canceling') return endSubscription(tx, subscription, 'period_end');
  if (unpaid && unpaid.getTime() + PAST_DUE_MS <= subscription.period_end.getTime())
    return endSubscription(tx, subscription, 'unpaid');
  const terms = termsOfNext(tx.system, subscription.terms, subscription.next_tier_id);
  const number = subscription.period_number + 1;
  const period = periodOf(subscription.anchor, number);
  await closePeriod(tx, subscription.period_id);
  const periodId = await beginPeriod(tx, {
    subscriptionId: subscription.id,
    customerRef: subscription.customer_ref,
    terms,
    ...period,
  });
  const renewed = await change(tx, {
    terms: JSON.stringify(terms),
    next_tier_id: null,
    period_number: number,
    period_id: periodId,
    period_end: period.end,
  });
  await emit(tx, 'billing.addon.renewed', {
    addon: 'sms',
    tierId: terms.id,
    periodStart: period.start.toISOString(),
    periodEnd: period.end.toISOString(),
  });
  // The operator may change prices, so every period updates the provider.
  await syncPayment(tx, renewed);
  return renewed;
}

/** Opens a period and writes its price to the ledger. */
async function beginPeriod(tx: TxCtx, period: Parameters<typeof openPeriod>[1]): Promise<PeriodId> {
  const id = await openPeriod(tx, period);
  const { monthlyPrice: amount, currency } = period.terms;
  if (amount > 0 && tx.scope.environment === 'production')
    await appendEntries(tx, [{ period_id: id, kind: 'fee', reference: id, part: 1, amount, currency }]);
  return id;
}

/** Ends a subscription now. */
export async function endSubscription(
  tx: TxCtx,
  subscription: Subscription,
  reason: 'requested' | 'period_end' | 'unpaid' | 'provider',
): Promise<Subscription> {
  await closePeriod(tx, subscription.period_id);
  const ended = await change(tx, { status: 'canceled', canceled_at: tx.now, next_tier_id: null });
  await emit(tx, 'billing.addon.canceled', { addon: 'sms', tierId: subscription.terms.id, reason });
  if (reason !== 'provider') await syncPayment(tx, ended);
  return ended;
}

/**
 * Starts a subscription. Safe to call concurrently: only one call wins.
 * @param anchor the time from which its periods are counted
 * @returns undefined if there already is one that has not ended
 */
export async function beginSubscription(
  tx: TxCtx,
  terms: SmsTier,
  payment: Payment,
  anchor: Date = tx.now,
): Promise<Subscription | undefined> {
  const { start, end } = periodOf(anchor, 0);
  const fresh = {
    id: newId('sub', tx.now),
    status: 'active' as const,
    terms: JSON.stringify(terms),
    next_tier_id: null,
    anchor,
    period_number: 0,
    period_id: newId('bpr', tx.now),
    period_end: end,
    past_due_since: null,
    canceled_at: null,
    ...payment,
    created_at: tx.now,
    updated_at: tx.now,
  };
  const begun = await tx.db
    .insertInto('sms_subscriptions')
    .values({ ...scopeColumns(tx), ...fresh })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'project_id', 'environment'])
        .doUpdateSet(fresh)
        .where('sms_subscriptions.status', '=', 'canceled'),
    )
    .returning('id')
    .executeTakeFirst();
  if (!begun) return undefined;
  const periodId = await beginPeriod(tx, {
    subscriptionId: begun.id,
    customerRef: payment.customer_ref,
    terms,
    start,
    end,
  });
  const subscription = await change(tx, { period_id: periodId });
  await emit(tx, 'billing.addon.subscribed', { addon: 'sms', tierId: terms.id });
  return subscription;
}

type Changes = Partial<{
  status: SubscriptionStatus;
  terms: string;
  next_tier_id: string | null;
  period_number: number;
  period_id: PeriodId;
  period_end: Date;
  past_due_since: Date | null;
  canceled_at: Date | null;
}>;

/** Changes the subscription of the scope, which the caller has locked. */
export function change(tx: TxCtx, changes: Changes): Promise<Subscription> {
  return tx.db
    .updateTable('sms_subscriptions')
    .set({ ...changes, updated_at: tx.now })
    .where(inScope(tx))
    .returningAll()
    .executeTakeFirstOrThrow();
}

type Found = { workspace_id: WorkspaceId; project_id: ProjectId; environment: Environment };

/** The scope of a row that was read without one. */
export function scopeOf(row: Found): Scope {
  return { workspaceId: row.workspace_id, projectId: row.project_id, environment: row.environment };
}

const BATCH = 100;

/**
 * Renews or ends due subscriptions, a batch at a time. Runs as a job; a request that needs a due subscription renews it
 * earlier.
 */
export async function renewDue(system: System): Promise<void> {
  const { rows } = await sql<Found>`
    select workspace_id, project_id, environment from sms_subscriptions /* all workspaces */
    where status <> 'canceled' and period_end <= ${system.clock.now()} order by period_end limit ${BATCH}`.execute(
    system.db,
  );
  await eachAlone(system, rows, (row) =>
    transaction(systemCtx(system, scopeOf(row), 'billing', row.project_id), lockSubscription),
  );
}

/** The scope of a subscription by the payment provider's id of it. Served by sms_subscriptions_ref. */
export async function scopeOfSubscription(system: System, reference: string): Promise<Scope | undefined> {
  const { rows } = await sql<Found>`
    select workspace_id, project_id, environment from sms_subscriptions /* all workspaces */ where subscription_ref = ${reference}`.execute(
    system.db,
  );
  return rows[0] && scopeOf(rows[0]);
}
