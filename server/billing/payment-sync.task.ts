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

/** About ten hours: then a subscription ends at the provider although it could not be told all it had to charge. */
const MAX_WAITS = 10;

/** Brings the provider's subscription to what is agreed here. Looks first, so that a repeated run changes nothing. */
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
  // Once its subscription has ended the provider charges nothing more, so that comes last.
  if (agreed.status === 'canceled' && patient && ((await isOnItsWay(ctx)) || (await isUnreported(ctx))))
    throw new Error('What the last period costs is still on its way to the provider.');
  await bringToAgreed(ctx.system, stripe, { subscription: agreed, reference: agreed.subscription_ref });
  // What changed meanwhile may have been brought there by another run, and overwritten by this one.
  const now = await transaction(ctx, lockSubscription);
  if (now?.updated_at.getTime() !== agreed.updated_at.getTime()) await sync(ctx, stripe, patient);
}

/** Ends a subscription of the provider that is one too many: what was paid for it is credited. */
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
    // What a change costs within a period stands in the ledger, and is charged from there.
    ...(items.length > 0 && { items, proration_behavior: 'none' }),
  });
}

/** The provider charges a period's price when it begins, so it hears of the next one ahead; segments are charged afterwards. */
function pricesOf(system: System, { terms, next_tier_id: next }: Subscription): string[] {
  const { stripePrice } = next === null ? terms : termsOfNext(system, terms, next);
  return [stripePrice, terms.stripeOveragePrice].filter((price) => price !== undefined);
}

/** What to change so that the subscription has these prices, and no others. */
function itemChanges({ items }: Stripe.Subscription, wanted: string[]): Stripe.SubscriptionUpdateParams.Item[] {
  const missing = wanted.filter((price) => !items.data.some((item) => item.price.id === price));
  const surplus = items.data.filter((item) => !wanted.includes(item.price.id));
  return [...surplus.map(({ id }) => ({ id, deleted: true })), ...missing.map((price) => ({ price }))];
}
