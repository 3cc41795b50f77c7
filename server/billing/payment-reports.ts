import type { Generated } from 'kysely';
import { sql } from 'kysely';
import type Stripe from 'stripe';
import type { Ctx, Environment, TxCtx } from '#platform/ctx.ts';
import type { ProjectId, WorkspaceId } from '#platform/ids.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import { singleWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';
import type { LedgerId } from './ledger.ts';
import { stripeAccount, stripeErrors } from './stripe.ts';

type ReportsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  ledger_id: LedgerId;
  customer_ref: string;
  due_at: Date;
  attempts: Generated<number>;
  error: string | null;
};

declare module '#platform/db.ts' {
  interface Tables {
    sms_payment_reports: ReportsTable;
  }
}

/** The name of the meter that counts segments beyond the included ones. */
const METER = 'latchkey_sms_overage';
const BATCH = 500;
const LONGEST_PAUSE_MS = 3_600_000;
/** The provider's invoice stays open for an hour after its period; later reports go on the next one. */
const INVOICE_OPEN_MS = 3_600_000;

/**
 * Queues entries that the provider has to charge, in the transaction that writes them, so an outage of the provider
 * loses none.
 * @param customer the provider's customer to bill; null if the statement is paid manually
 */
export async function queueReports(tx: TxCtx, customer: string | null, ids: readonly LedgerId[]): Promise<void> {
  if (ids.length === 0 || customer === null) return;
  const rows = ids.map((id) => ({
    ...scopeColumns(tx),
    ledger_id: id,
    customer_ref: customer,
    due_at: tx.now,
    error: null,
  }));
  await tx.db.insertInto('sms_payment_reports').values(rows).execute();
}

/** True while entries of the scope are not yet reported to the provider. */
export async function isUnreported(ctx: Ctx | TxCtx): Promise<boolean> {
  const waiting = await ctx.db
    .selectFrom('sms_payment_reports')
    .select('ledger_id')
    .where(inScope(ctx))
    .limit(1)
    .executeTakeFirst();
  return waiting !== undefined;
}

type Due = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  ledger_id: LedgerId;
  customer_ref: string;
  attempts: number;
  kind: 'segment' | 'proration';
  amount: number;
  currency: string;
  created_at: Date;
};

/**
 * Reports to the provider what to charge: a meter event per segment, an invoice item per tier change. The entry's id is
 * the idempotency key, so a repeated report counts once. Runs as a job; failed reports are retried without limit.
 */
export async function reportUsage(system: System): Promise<void> {
  const account = stripeAccount(system);
  if (!account) return;
  const { rows } = await sql<Due>`
    select r.workspace_id, r.project_id, r.environment, r.ledger_id, r.customer_ref, r.attempts, l.kind, l.amount, l.currency, l.created_at
    from sms_payment_reports r /* all workspaces */
    join sms_ledger l on l.workspace_id = r.workspace_id and l.project_id = r.project_id and l.environment = r.environment and l.id = r.ledger_id
    where r.due_at <= ${system.clock.now()} order by r.due_at limit ${BATCH}`.execute(system.db);
  for (const due of rows) {
    // biome-ignore lint/performance/noAwaitInLoops: the provider limits how fast it may be asked
    const told = await tell(account.client, due, system.clock.now()).catch((error: unknown) => error);
    if (!(told instanceof Error)) await forget(system, due);
    else await postpone(system, due, told.message);
    // The provider is down, so the other reports would fail too.
    if (told instanceof Error && !(told instanceof stripeErrors().StripeInvalidRequestError)) return;
  }
}

async function tell(stripe: Stripe, due: Due, now: Date): Promise<void> {
  const { ledger_id: identifier, customer_ref: customer, created_at: created, amount } = due;
  if (due.kind === 'proration') {
    const description = 'SMS add-on: a bigger tier for the rest of the period';
    const item = { customer, amount, currency: due.currency.toLowerCase(), description };
    await stripe.invoiceItems.create({ ...item, metadata: { latchkey: identifier } }, { idempotencyKey: identifier });
    return;
  }
  const at = now.getTime() - created.getTime() < INVOICE_OPEN_MS ? created : now;
  const event = {
    event_name: METER,
    identifier,
    timestamp: Math.floor(at.getTime() / 1000),
    payload: { stripe_customer_id: customer, value: '1' },
  };
  await stripe.billing.meterEvents.create(event).catch((error: unknown) => {
    // It was reported before, and the response was lost.
    if (!(error instanceof Error && error.message.includes('already exists with identifier'))) throw error;
  });
}

async function forget(system: System, due: Due): Promise<void> {
  await singleWrite(system, 'outcome')
    .deleteFrom('sms_payment_reports')
    .where('workspace_id', '=', due.workspace_id)
    .where('project_id', '=', due.project_id)
    .where('environment', '=', due.environment)
    .where('ledger_id', '=', due.ledger_id)
    .execute();
}

async function postpone(system: System, due: Due, error: string): Promise<void> {
  const pause = Math.min(30_000 * 2 ** due.attempts, LONGEST_PAUSE_MS);
  await singleWrite(system, 'outcome')
    .updateTable('sms_payment_reports')
    .set({ attempts: due.attempts + 1, error, due_at: new Date(system.clock.now().getTime() + pause) })
    .where('workspace_id', '=', due.workspace_id)
    .where('project_id', '=', due.project_id)
    .where('environment', '=', due.environment)
    .where('ledger_id', '=', due.ledger_id)
    .execute();
}
