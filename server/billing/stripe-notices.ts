import type Stripe from 'stripe';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { emit } from '#events';
import { type Scope, systemCtx, type TxCtx, transaction } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { singleWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';
import { isClosed } from '#tenancy';
import { appendEntries, hasEntry } from './ledger.ts';
import { endSurplus } from './payment-sync.ts';
import { paidUp, paymentOverdue, providerPaid } from './statements.ts';
import { askingStripe, stripeAccount, stripeErrors } from './stripe.ts';
import { beginSubscription, endSubscription, lockSubscription, scopeOfSubscription } from './subscription-store.ts';
import { requireTier } from './tiers.ts';

declare module '#platform/db.ts' {
  interface Tables {
    payment_notices: { id: string; received_at: Date };
  }
}

/** The metadata of everything that Latchkey creates at the provider. */
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
 * Processes a webhook of the provider: checks its signature and applies it once, however often it arrives. Webhooks may
 * arrive in any order: the first that says that a subscription is paid starts it.
 * @param raw the unparsed body
 * @throws Problem AUTHENTICATION_REQUIRED, SERVICE_UNAVAILABLE to make the provider retry
 */
export async function takeNotice(system: System, raw: string, signature: string): Promise<void> {
  const account = stripeAccount(system);
  if (!account) throw problem('NOT_FOUND');
  const { client, webhookSecret } = account;
  const now = system.clock.now();
  const event = await client.webhooks
    .constructEventAsync(raw, signature, webhookSecret, undefined, undefined, now.getTime())
    .catch((cause: unknown) => {
      throw problem('AUTHENTICATION_REQUIRED', { detail: 'The signature of the notification is invalid.', cause });
    });
  const step = await stepOf(system, client, event);
  if (step === null) return;
  await transaction(systemCtx(system, step.scope, 'stripe', event.id), async (tx) => {
    const taken = await tx.db
      .insertInto('payment_notices')
      .values({ id: event.id, received_at: now })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst();
    if (taken) await step.apply(tx);
  });
}

/** The provider retries for three days, so thirty are enough. Milliseconds. */
const NOTICES_KEPT_MS = 30 * 86_400_000;

/** Deletes records of processed webhooks that can't arrive again. Runs as a job. */
export async function removeOldNotices(system: System): Promise<void> {
  const before = new Date(system.clock.now().getTime() - NOTICES_KEPT_MS);
  await singleWrite(system, 'clean-up').deleteFrom('payment_notices').where('received_at', '<', before).execute();
}

/** The change that a webhook makes. */
type Step = { scope: Scope; apply: (tx: TxCtx) => Promise<void> };

async function stepOf(system: System, stripe: Stripe, event: Stripe.Event): Promise<Step | null> {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return checkedOut(system, stripe, event.data.object);
    case 'invoice.paid':
      return ofPaid(system, stripe, event.data.object);
    case 'invoice.payment_failed':
      return ofFailed(system, event.data.object);
    case 'customer.subscription.deleted':
      return ended(system, event.data.object.id);
    default:
      return null;
  }
}

function idOf(reference: string | { id: string } | null | undefined): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null);
}

async function checkedOut(system: System, stripe: Stripe, session: Stripe.Checkout.Session): Promise<Step | null> {
  const { metadata, payment_status: payment } = session;
  const subscription = idOf(session.subscription);
  if (!Metadata.Check(metadata) || payment === 'unpaid' || subscription === null) return null;
  return ofNew(system, stripe, { subscription });
}

/**
 * Starts a paid subscription that has no row yet.
 * @param follow runs in the same transaction, unless the subscription is surplus
 * @returns null if it is not Latchkey's, or has ended already: the webhook of its end arrived first, or it was surplus
 */
async function ofNew(
  system: System,
  stripe: Stripe,
  { subscription, follow }: { subscription: string; follow?: (tx: TxCtx) => Promise<void> },
): Promise<Step | null> {
  const theirs = await findSubscription(system, stripe, subscription);
  if (!theirs || theirs.status === 'canceled' || theirs.status === 'incomplete_expired') return null;
  const { metadata, billing_cycle_anchor: anchor } = theirs;
  if (!Metadata.Check(metadata)) return null;
  const { workspaceId, projectId, environment, tierId } = metadata;
  const scope = { workspaceId, projectId, environment };
  const isTheScopes = async (tx: TxCtx) => (await lockSubscription(tx))?.subscription_ref === subscription;
  return {
    scope,
    apply: async (tx) => {
      // The project was deleted while its checkout was open: nothing is sent, and nobody could cancel.
      if (await isClosed(tx.system, scope)) return endSurplus(tx, subscription);
      const terms = requireTier(tx.system, tierId);
      const by = { payment: 'stripe' as const, customer_ref: idOf(theirs.customer), subscription_ref: subscription };
      // Another webhook may have begun it, and the customer canceled it since. Both count their periods from the same anchor.
      if (!(await isTheScopes(tx))) await beginSubscription(tx, terms, by, new Date(anchor * 1000));
      // The customer paid twice.
      if (!(await isTheScopes(tx))) return endSurplus(tx, subscription);
      await follow?.(tx);
    },
  };
}

/**
 * A subscription as the provider has it.
 * @returns undefined if it has none
 * @throws Problem SERVICE_UNAVAILABLE
 */
function findSubscription(system: System, stripe: Stripe, id: string): Promise<Stripe.Subscription | undefined> {
  return askingStripe(system, () =>
    stripe.subscriptions.retrieve(id).catch((error: unknown) => {
      if (error instanceof stripeErrors().StripeError && error.code === 'resource_missing') return undefined;
      throw error;
    }),
  );
}

function subscriptionOf({ parent }: Stripe.Invoice): string | null {
  return idOf(parent?.subscription_details?.subscription);
}

async function ofPaid(system: System, stripe: Stripe, invoice: Stripe.Invoice): Promise<Step | null> {
  const subscription = subscriptionOf(invoice);
  if (subscription === null) return null;
  const scope = await scopeOfSubscription(system, subscription);
  const apply = (tx: TxCtx) => paid(tx, invoice);
  if (scope) return { scope, apply };
  const ours = invoice.parent?.subscription_details?.metadata?.['latchkey'] === 'sms';
  return ours ? ofNew(system, stripe, { subscription, follow: apply }) : null;
}

/** A subscription that never began has nothing overdue. */
async function ofFailed(system: System, invoice: Stripe.Invoice): Promise<Step | null> {
  const subscription = subscriptionOf(invoice);
  const scope = subscription === null ? undefined : await scopeOfSubscription(system, subscription);
  return scope ? { scope, apply: (tx) => failed(tx, invoice) } : null;
}

async function paid(tx: TxCtx, invoice: Stripe.Invoice): Promise<void> {
  const subscription = await lockSubscription(tx);
  if (!subscription) return;
  const { terms, period_id: periodId } = subscription;
  const { id: reference, amount_paid: amount } = invoice;
  const currency = invoice.currency.toUpperCase();
  const entry = { kind: 'payment' as const, reference, part: 1, amount: -amount, currency };
  const [added] = await appendEntries(tx, [{ period_id: periodId, ...entry }]);
  if (!added) return;
  await emit(tx, 'billing.addon.payment_received', { addon: 'sms', tierId: terms.id, reference, amount, currency });
  await providerPaid(tx);
  await paidUp(tx, subscription);
}

/** The webhook of a failure may arrive after that of the payment that resolved it. */
async function failed(tx: TxCtx, invoice: Stripe.Invoice): Promise<void> {
  if (!(await hasEntry(tx, 'payment', invoice.id))) await paymentOverdue(tx);
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
    },
  };
}
