import { hash } from 'node:crypto';
import type Stripe from 'stripe';
import { projectOf } from '#environments';
import { emit } from '#events';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import { problem } from '#platform/problem.ts';
import type { SmsTier } from '#platform/sms-tiers.ts';
import { requirePaidUp } from './statements.ts';
import { askingStripe, stripeAccount } from './stripe.ts';
import { currentSubscription, type Subscription } from './subscription-store.ts';
import { type AddOnStatus, addOnStatus, subscribe } from './subscriptions.ts';
import { requireTier } from './tiers.ts';

type Started = AddOnStatus & { checkoutUrl: string | null };

/**
 * With a payment provider, a first subscription starts with a visit to its checkout.
 * @returns the address of the checkout; null when there is nothing to pay first
 * @throws Problem VALIDATION_FAILED, CONFLICT, SERVICE_UNAVAILABLE while the provider is down
 */
export async function askForCheckout(ctx: Ctx, tierId: string): Promise<string | null> {
  const account = payments(ctx);
  const running = await currentSubscription(ctx);
  if (!account || (running && running.status !== 'canceled')) return null;
  return checkOut(ctx, account.client, { tier: requireTier(ctx.system, tierId), former: running });
}

/**
 * Subscribes or changes the tier, or waits for the first payment.
 * @param checkoutUrl the result of {@link askForCheckout}
 */
export function startSubscription(ctx: Ctx, tierId: string, checkoutUrl: string | null): Promise<Started> {
  return transaction(ctx, async (tx) => {
    // The subscription may have ended since the checkout was skipped: nothing starts unpaid.
    if (checkoutUrl === null) await subscribe(tx, tierId, payments(tx) ? null : undefined);
    else await emit(tx, 'billing.addon.checkout_started', { addon: 'sms', tierId });
    return { ...(await addOnStatus(tx)), checkoutUrl };
  });
}

/** How new subscriptions are paid. */
function payments({ system, scope }: Ctx | TxCtx) {
  return scope.environment === 'test' ? null : stripeAccount(system);
}

async function checkOut(
  ctx: Ctx,
  stripe: Stripe,
  { tier, former }: { tier: SmsTier; former: Subscription | undefined },
): Promise<string | null> {
  await requirePaidUp(ctx);
  const { stripePrice, stripeOveragePrice } = tier;
  if (stripePrice === undefined) throw problem('CONFLICT', `The tier "${tier.id}" has no stripePrice.`);
  const metadata = { latchkey: 'sms', ...ctx.scope, tierId: tier.id };
  return askingStripe(ctx.system, async () => {
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
}

/**
 * One customer per project, even if the button is pressed twice. Stripe refuses the key of a customer with another name,
 * so a renamed project has another one.
 */
async function createCustomer(ctx: Ctx, stripe: Stripe): Promise<string> {
  const { workspaceId, projectId } = ctx.scope;
  const { workspaceName, projectName } = await projectOf(ctx.system, ctx.scope);
  const name = `${workspaceName} / ${projectName}`;
  const customer = await stripe.customers.create(
    { name, metadata: { latchkey: 'sms', ...ctx.scope } },
    { idempotencyKey: `latchkey-customer-${workspaceId}-${projectId}-${hash('sha256', name, 'base64url')}` },
  );
  return customer.id;
}
