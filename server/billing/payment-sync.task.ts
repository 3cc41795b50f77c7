import type { Task } from 'graphile-worker';
import type Stripe from 'stripe';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { systemCtx, transaction } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import type { SmsTier } from '#platform/sms-tiers.ts';
import type { System } from '#platform/system.ts';
import { stripeAccount } from './stripe.ts';
import { lockSubscription, type Subscription } from './subscription-store.ts';
import { isBigger } from './tiers.ts';

const payload = Compile(
  Type.Object({
    scope: Type.Object({
      workspaceId: IdSchema('wrk'),
      projectId: IdSchema('prj'),
      environment: Type.Enum(['test', 'production']),
    }),
  }),
);

/** Brings the provider's subscription to what is agreed here. Looks first, so that a repeated run changes nothing. */
export function syncPaymentTask(system: System): Task {
  return async (given) => {
    const { scope } = payload.Parse(given);
    const subscription = await transaction(systemCtx(system, scope, 'billing', scope.projectId), lockSubscription);
    const account = stripeAccount(system);
    if (!account || !subscription?.subscription_ref) return;
    await bringToAgreed(system, account.client, { subscription, reference: subscription.subscription_ref });
  };
}

type Agreed = { subscription: Subscription; reference: string };

async function bringToAgreed(system: System, stripe: Stripe, { subscription, reference }: Agreed): Promise<void> {
  const theirs = await stripe.subscriptions.retrieve(reference);
  if (theirs.status === 'canceled') return;
  if (subscription.status === 'canceled') {
    await stripe.subscriptions.cancel(reference);
    return;
  }
  const ending = subscription.status === 'canceling';
  const items = itemChanges(theirs, subscription.terms);
  if (items.length === 0 && theirs.cancel_at_period_end === ending) return;
  await stripe.subscriptions.update(reference, {
    cancel_at_period_end: ending,
    ...(items.length > 0 && { items, proration_behavior: proration(system, theirs, subscription.terms) }),
  });
}

/** What to change so that the subscription has the prices of its tier, and no others. */
function itemChanges({ items }: Stripe.Subscription, terms: SmsTier): Stripe.SubscriptionUpdateParams.Item[] {
  const wanted = [terms.stripePrice, terms.stripeOveragePrice].filter((price) => price !== undefined);
  const missing = wanted.filter((price) => !items.data.some((item) => item.price.id === price));
  const surplus = items.data.filter((item) => !wanted.includes(item.price.id));
  return [...surplus.map(({ id }) => ({ id, deleted: true })), ...missing.map((price) => ({ price }))];
}

/** A bigger tier is charged at once; a smaller one came with the period, so there is nothing to split. */
function proration(system: System, { items }: Stripe.Subscription, terms: SmsTier): 'always_invoice' | 'none' {
  const before = system.config.smsTiers.find((tier) => items.data.some((item) => item.price.id === tier.stripePrice));
  return before && isBigger(terms, before) ? 'always_invoice' : 'none';
}
