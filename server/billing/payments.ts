import type Stripe from 'stripe';
import { emit } from '#events';
import { type Ctx, transaction } from '#platform/ctx.ts';
import { problem } from '#platform/problem.ts';
import type { SmsTier } from '#platform/sms-tiers.ts';
import { projectOf } from '#tenancy';
import { requirePaidUp } from './statements.ts';
import { askingStripe, stripeAccount } from './stripe.ts';
import { currentSubscription, type Subscription } from './subscription-store.ts';
import { type AddOnStatus, addOnStatus, subscribe } from './subscriptions.ts';
import { requireTier } from './tiers.ts';

type Started = AddOnStatus & { checkoutUrl: string | null };

/**
 * Subscribes or changes the tier. Where a provider takes the money, a first subscription begins with a visit there.
 * @returns where to pay first, if anywhere, and where the add-on stands
 * @throws Problem VALIDATION_FAILED, CONFLICT, SERVICE_UNAVAILABLE while the provider is away
 */
export async function startSubscription(ctx: Ctx, tierId: string): Promise<Started> {
  const account = ctx.scope.environment === 'test' ? null : stripeAccount(ctx.system);
  const running = await currentSubscription(ctx);
  if (account && (!running || running.status === 'canceled'))
    return checkOut(ctx, account.client, { tier: requireTier(ctx.system, tierId), former: running });
  return transaction(ctx, async (tx) => {
    await subscribe(tx, tierId);
    return { ...(await addOnStatus(tx)), checkoutUrl: null };
  });
}

async function checkOut(
  ctx: Ctx,
  stripe: Stripe,
  { tier, former }: { tier: SmsTier; former: Subscription | undefined },
): Promise<Started> {
  await requirePaidUp(ctx);
  const { stripePrice, stripeOveragePrice } = tier;
  if (stripePrice === undefined) throw problem('CONFLICT', `The tier "${tier.id}" has no stripePrice.`);
  const metadata = { latchkey: 'sms', ...ctx.scope, tierId: tier.id };
  const url = await askingStripe(ctx.system, async () => {
    const customer = former?.customer_ref ?? (await createCustomer(ctx, stripe));
    const session = await stripe.checkout.sessions.create({
      mode: 'subscription',
      customer,
      line_items: [
        { price: stripePrice, quantity: 1 },
        ...(stripeOveragePrice === undefined ? [] : [{ price: stripeOveragePrice }]),
      ],
      metadata,
      subscription_data: { metadata },
      success_url: `${ctx.system.config.addresses.console}/`,
      cancel_url: `${ctx.system.config.addresses.console}/`,
    });
    return session.url;
  });
  return transaction(ctx, async (tx) => {
    await emit(tx, 'billing.addon.checkout_started', { addon: 'sms', tierId: tier.id });
    return { ...(await addOnStatus(tx)), checkoutUrl: url };
  });
}

/** One customer a project, also when the button is pressed twice. */
async function createCustomer(ctx: Ctx, stripe: Stripe): Promise<string> {
  const { workspaceName, projectName } = await projectOf(ctx.system, ctx.scope);
  const customer = await stripe.customers.create(
    { name: `${workspaceName} / ${projectName}`, metadata: { latchkey: 'sms', ...ctx.scope } },
    { idempotencyKey: `latchkey-customer-${ctx.scope.workspaceId}-${ctx.scope.projectId}` },
  );
  return customer.id;
}
