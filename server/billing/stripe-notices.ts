import type Stripe from 'stripe';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { emit } from '#events';
import { type Scope, systemCtx, type TxCtx, transaction } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import { problem, problemWithRetry } from '#platform/problem.ts';
import type { System } from '#platform/system.ts';
import { appendEntries } from './ledger.ts';
import { paymentOverdue } from './statements.ts';
import { stripeAccount } from './stripe.ts';
import {
  beginSubscription,
  change,
  endSubscription,
  lockSubscription,
  scopeOfSubscription,
} from './subscription-store.ts';
import { requireTier } from './tiers.ts';

declare module '#platform/db.ts' {
  interface Tables {
    payment_notices: { id: string; received_at: Date };
  }
}

/** What we write on everything we make at the provider. */
const Metadata = Compile(
  Type.Object({
    latchkey: Type.Literal('sms'),
    workspaceId: IdSchema('wrk'),
    projectId: IdSchema('prj'),
    environment: Type.Literal('production'),
    tierId: Type.String(),
  }),
);

/**
 * Takes a notice of the provider: checks its signature, and does what it says, once however often it comes. Notices may come in
 * any order; one that is ahead of what it builds on is refused, and so comes again.
 * @param raw the body as it came @throws Problem AUTHENTICATION_REQUIRED, SERVICE_UNAVAILABLE to have it sent again
 */
export async function takeNotice(system: System, raw: string, signature: string): Promise<void> {
  const account = stripeAccount(system);
  if (!account) throw problem('NOT_FOUND');
  const { client, webhookSecret } = account;
  const now = system.clock.now();
  const event = await client.webhooks
    .constructEventAsync(raw, signature, webhookSecret, undefined, undefined, now.getTime())
    .catch((cause: unknown) => {
      throw problem('AUTHENTICATION_REQUIRED', { detail: 'The notice is not signed by the provider.', cause });
    });
  const step = await stepOf(system, event);
  if (step === null) return;
  const surplus = await transaction(systemCtx(system, step.scope, 'stripe', event.id), async (tx) => {
    const taken = await tx.db
      .insertInto('payment_notices')
      .values({ id: event.id, received_at: now })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst();
    return taken ? step.apply(tx) : null;
  });
  // Somebody paid twice: the second subscription ends at the provider.
  if (surplus !== null) await client.subscriptions.cancel(surplus);
}

/** What a notice changes. @returns in `apply` a subscription of the provider that is one too many, or null */
type Step = { scope: Scope; apply: (tx: TxCtx) => Promise<string | null> };

async function stepOf(system: System, event: Stripe.Event): Promise<Step | null> {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return checkedOut(event.data.object);
    case 'invoice.paid':
      return ofInvoice(system, event.data.object, (tx) => paid(tx, event.data.object));
    case 'invoice.payment_failed':
      return ofInvoice(system, event.data.object, paymentOverdue);
    case 'customer.subscription.deleted':
      return ended(system, event.data.object.id);
    default:
      return null;
  }
}

function idOf(reference: string | { id: string } | null | undefined): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null);
}

function checkedOut(session: Stripe.Checkout.Session): Step | null {
  const { metadata, payment_status: payment } = session;
  const [customer, subscription] = [idOf(session.customer), idOf(session.subscription)];
  if (!Metadata.Check(metadata) || payment === 'unpaid' || subscription === null) return null;
  const { workspaceId, projectId, environment, tierId } = metadata;
  return {
    scope: { workspaceId, projectId, environment },
    apply: async (tx) => {
      const terms = requireTier(tx.system, tierId);
      const by = { payment: 'stripe' as const, customer_ref: customer, subscription_ref: subscription };
      const begun = await beginSubscription(tx, terms, by);
      if (begun) return null;
      const running = await lockSubscription(tx);
      return running?.subscription_ref === subscription ? null : subscription;
    },
  };
}

async function ofInvoice(
  system: System,
  { parent }: Stripe.Invoice,
  work: (tx: TxCtx) => Promise<void>,
): Promise<Step | null> {
  const details = parent?.subscription_details;
  const reference = idOf(details?.subscription);
  if (reference === null) return null;
  const scope = await scopeOfSubscription(system, reference);
  // Ours, but its checkout has not been told of yet.
  if (!scope && details?.metadata?.['latchkey'] === 'sms') throw problemWithRetry('SERVICE_UNAVAILABLE', 60);
  if (!scope) return null;
  return {
    scope,
    apply: async (tx) => {
      await work(tx);
      return null;
    },
  };
}

async function paid(tx: TxCtx, invoice: Stripe.Invoice): Promise<void> {
  const subscription = await lockSubscription(tx);
  if (!subscription) return;
  const { terms, period_id: periodId } = subscription;
  const { id: reference, amount_paid: amount } = invoice;
  const currency = invoice.currency.toUpperCase();
  await appendEntries(tx, [{ period_id: periodId, kind: 'payment', reference, part: 1, amount: -amount, currency }]);
  await emit(tx, 'billing.addon.payment_received', { addon: 'sms', tierId: terms.id, reference, amount, currency });
  if (subscription.status === 'past_due') await change(tx, { status: 'active', past_due_since: null });
}

async function ended(system: System, reference: string): Promise<Step | null> {
  const scope = await scopeOfSubscription(system, reference);
  if (!scope) return null;
  return {
    scope,
    apply: async (tx) => {
      const subscription = await lockSubscription(tx);
      const running = subscription && subscription.status !== 'canceled';
      if (running && subscription.subscription_ref === reference) await endSubscription(tx, subscription, 'provider');
      return null;
    },
  };
}
