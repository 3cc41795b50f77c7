import type { Task } from 'graphile-worker';
import type Stripe from 'stripe';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { type Ctx, systemCtx, transaction } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import type { System } from '#platform/system.ts';
import { isUnreported } from './payment-reports.ts';
import { stripeAccount } from './stripe.ts';
import { lockSubscription, type Subscription } from './subscription-store.ts';
import { termsOfNext } from './tiers.ts';
import { isOnItsWay } from './usage.ts';

const Agreement = Compile(
  Type.Object({
    scope: Type.Object({
      workspaceId: IdSchema('wrk'),
      projectId: IdSchema('prj'),
      environment: Type.Enum(['test', 'production']),
    }),
  }),
);
const Surplus = Compile(Type.Object({ reference: Type.String() }));

/** About ten hours: after that a subscription ends at the provider even if not everything was reported. */
const MAX_WAITS = 10;

/** Updates the provider's subscription to the one stored here. Reads it first, so a repeated run changes nothing. */
export function syncPaymentTask(system: System): Task {
  return async (payload, { job }) => {
    const account = stripeAccount(system);
    const { scope } = Agreement.Parse(payload);
    const ctx = systemCtx(system, scope, 'billing', scope.projectId);
    if (account) await sync(ctx, account.client, job.attempts < MAX_WAITS);
  };
}

async function sync(ctx: Ctx, stripe: Stripe, patient: boolean): Promise<void> {
  const agreed = await transaction(ctx, lockSubscription);
  if (!agreed?.subscription_ref) return;
  // The provider charges nothing after its subscription has ended, so that comes last.
  if (agreed.status === 'canceled' && patient && ((await isOnItsWay(ctx)) || (await isUnreported(ctx))))
    throw new Error('The provider has not received all charges of the last period yet.');
  await bringToAgreed(ctx.system, stripe, { subscription: agreed, reference: agreed.subscription_ref });
  // Another run may have applied a change made meanwhile, and this run may have overwritten it.
  const now = await transaction(ctx, lockSubscription);
  if (now?.updated_at.getTime() !== agreed.updated_at.getTime()) await sync(ctx, stripe, patient);
}

/** Ends a surplus subscription at the provider; the amount paid for it is credited. */
export function endPaymentTask(system: System): Task {
  return async (payload) => {
    const { reference } = Surplus.Parse(payload);
    const account = stripeAccount(system);
    if (!account || (await account.client.subscriptions.retrieve(reference)).status === 'canceled') return;
    await account.client.subscriptions.cancel(reference, { invoice_now: true, prorate: true });
  };
}

type Agreed = { subscription: Subscription; reference: string };

async function bringToAgreed(system: System, stripe: Stripe, { subscription, reference }: Agreed): Promise<void> {
  const theirs = await stripe.subscriptions.retrieve(reference);
  if (theirs.status === 'canceled') return;
  if (subscription.status === 'canceled') {
    await stripe.subscriptions.cancel(reference, { invoice_now: true });
    return;
  }
  const ending = subscription.status === 'canceling';
  const items = itemChanges(theirs, pricesOf(system, subscription));
  if (items.length === 0 && theirs.cancel_at_period_end === ending) return;
  await stripe.subscriptions.update(reference, {
    cancel_at_period_end: ending,
    // The ledger has the price of a change within a period, and the charge comes from there.
    ...(items.length > 0 && { items, proration_behavior: 'none' }),
  });
}

/**
 * The provider charges a period's price at its start, so it gets the next tier ahead of time; segments are charged
 * afterwards.
 */
function pricesOf(system: System, { terms, next_tier_id: next }: Subscription): string[] {
  const { stripePrice } = next === null ? terms : termsOfNext(system, terms, next);
  return [stripePrice, terms.stripeOveragePrice].filter((price) => price !== undefined);
}

/** The changes after which the subscription has exactly these prices. */
function itemChanges({ items }: Stripe.Subscription, wanted: string[]): Stripe.SubscriptionUpdateParams.Item[] {
  const missing = wanted.filter((price) => !items.data.some((item) => item.price.id === price));
  const surplus = items.data.filter((item) => !wanted.includes(item.price.id));
  return [...surplus.map(({ id }) => ({ id, deleted: true })), ...missing.map((price) => ({ price }))];
}
