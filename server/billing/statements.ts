import { sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { projectOf } from '#environments';
import { emit } from '#events';
import { type Ctx, type Environment, systemCtx, type TxCtx, transaction } from '#platform/ctx.ts';
import { type Id, IdSchema, newId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { newestFirst, type Page, type PageQuery } from '#platform/page.ts';
import { found, problem } from '#platform/problem.ts';
import { eachAlone } from '#platform/repeating.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import type { System } from '#platform/system.ts';
import { appendEntries, sumOf } from './ledger.ts';
import { change, lockSubscription, type Subscription, scopeOf } from './subscription-store.ts';
import { findPeriod, type PeriodId } from './usage.ts';

export type StatementId = Id<'stm'>;

type StatementsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  id: StatementId;
  period_id: PeriodId;
  starts_at: Date;
  ends_at: Date;
  tier_id: string;
  segments: number;
  fees: number;
  overage: number;
  total: number;
  currency: string;
  payment: 'manual' | 'stripe';
  issued_at: Date;
  due_at: Date;
  paid_at: Date | null;
};

declare module '#platform/db.ts' {
  interface Tables {
    sms_statements: StatementsTable;
  }
}

/** The time to pay a statement, in milliseconds. */
const DUE_MS = 14 * 86_400_000;
const BATCH = 100;

/** The total of a period; amounts in minor units. */
export const Statement = Type.Object(
  {
    id: IdSchema('stm'),
    periodId: IdSchema('bpr'),
    periodStart: Instant,
    periodEnd: Instant,
    tierId: Type.String(),
    segments: Type.Integer(),
    fees: Type.Integer(),
    overage: Type.Integer(),
    total: Type.Integer(),
    currency: Type.String(),
    payment: Type.Enum(['manual', 'stripe'], {
      description: 'How it is paid: manually, or through the payment provider.',
    }),
    issuedAt: Instant,
    dueAt: Instant,
    paidAt: nullable(Instant),
  },
  { title: 'SmsStatement' },
);
export type Statement = Static<typeof Statement>;

function shown(row: StatementsTable): Statement {
  return {
    id: row.id,
    periodId: row.period_id,
    periodStart: row.starts_at.toISOString(),
    periodEnd: row.ends_at.toISOString(),
    tierId: row.tier_id,
    segments: row.segments,
    fees: row.fees,
    overage: row.overage,
    total: row.total,
    currency: row.currency,
    payment: row.payment,
    issuedAt: row.issued_at.toISOString(),
    dueAt: row.due_at.toISOString(),
    paidAt: row.paid_at?.toISOString() ?? null,
  };
}

/** Statements, newest first. Served by the primary key. */
export async function listStatements(ctx: Ctx, { limit, cursor }: Static<typeof PageQuery>): Promise<Page<Statement>> {
  const list = 'sms-statements';
  const query = ctx.db.selectFrom('sms_statements').selectAll().where(inScope(ctx));
  const page = await newestFirst(ctx, query, { list, limit, cursor });
  return { items: page.rows.map(shown), nextCursor: page.nextCursor };
}

/** @throws Problem NOT_FOUND */
export async function findStatement(ctx: Ctx, id: StatementId): Promise<Statement> {
  const query = ctx.db.selectFrom('sms_statements').selectAll().where(inScope(ctx)).where('id', '=', id);
  return shown(found(await query.executeTakeFirst()));
}

type ClosedPeriod = { workspace_id: WorkspaceId; project_id: ProjectId; environment: Environment; id: PeriodId };

/** Writes the statements of finished periods without messages in transit. Runs as a job. */
export async function issueStatements(system: System): Promise<void> {
  const { rows } = await sql<ClosedPeriod>`
    select workspace_id, project_id, environment, id from sms_periods /* all workspaces */
    where closed_at is not null and statement_id is null and reserved = 0 order by closed_at limit ${BATCH}`.execute(
    system.db,
  );
  await eachAlone(system, rows, (row) =>
    transaction(systemCtx(system, scopeOf(row), 'billing', row.id), (tx) => issue(tx, row.id)),
  );
}

async function issue(tx: TxCtx, periodId: PeriodId): Promise<void> {
  const id = newId('stm', tx.now);
  const claimed = await tx.db
    .updateTable('sms_periods')
    .set({ statement_id: id })
    .where(inScope(tx))
    .where('id', '=', periodId)
    .where('statement_id', 'is', null)
    .where('reserved', '=', 0)
    .executeTakeFirst();
  if (claimed.numUpdatedRows === 0n) return;
  const { terms, starts_at: start, ends_at: end, customer_ref: customer } = await findPeriod(tx, periodId);
  const { segments, fees, overage } = await sumOf(tx, periodId);
  const total = fees + overage;
  await tx.db
    .insertInto('sms_statements')
    .values({
      ...scopeColumns(tx),
      id,
      period_id: periodId,
      starts_at: start,
      ends_at: end < tx.now ? end : tx.now,
      tier_id: terms.id,
      segments,
      fees,
      overage,
      total,
      currency: terms.currency,
      payment: customer === null ? 'manual' : 'stripe',
      issued_at: tx.now,
      due_at: new Date(tx.now.getTime() + DUE_MS),
      paid_at: total === 0 ? tx.now : null,
    })
    .execute();
  const { id: tierId, currency } = terms;
  await emit(tx, 'billing.addon.statement_issued', { addon: 'sms', tierId, statementId: id, total, currency });
}

/**
 * Marks a statement as paid. Idempotent. A subscription that was past due becomes active.
 * @throws Problem NOT_FOUND
 */
async function statementPaid(ctx: Ctx, id: StatementId): Promise<void> {
  await transaction(ctx, async (tx) => {
    const subscription = await lockSubscription(tx);
    const row = await tx.db
      .selectFrom('sms_statements')
      .selectAll()
      .where(inScope(tx))
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (!row) throw problem('NOT_FOUND');
    if (row.paid_at !== null) return;
    await tx.db
      .updateTable('sms_statements')
      .set({ paid_at: tx.now })
      .where(inScope(tx))
      .where('id', '=', id)
      .execute();
    const { currency, total, period_id: periodId, tier_id: tierId } = row;
    const entry = { kind: 'payment' as const, reference: id, part: 1, amount: -total, currency };
    await appendEntries(tx, [{ period_id: periodId, ...entry }]);
    await emit(tx, 'billing.addon.payment_received', { addon: 'sms', tierId, reference: id, amount: total, currency });
    if (subscription && !(await hasOverdue(tx))) await paidUp(tx, subscription);
  });
}

type Overdue = { workspace_id: WorkspaceId; project_id: ProjectId; environment: Environment };

function hasOverdue(ctx: Ctx | TxCtx): Promise<boolean> {
  const overdue = ctx.db
    .selectFrom('sms_statements')
    .selectAll()
    .where(inScope(ctx))
    .where('paid_at', 'is', null)
    .where('payment', '=', 'manual')
    .where('due_at', '<=', ctx.now);
  return overdue
    .limit(1)
    .execute()
    .then(({ length }) => length > 0);
}

/**
 * Refuses a new subscription while a statement is overdue.
 * @throws Problem CONFLICT
 */
export async function requirePaidUp(ctx: Ctx | TxCtx): Promise<void> {
  if (await hasOverdue(ctx)) throw problem('CONFLICT', 'A statement is overdue; pay it before you subscribe.');
}

/** Clears the overdue state. A subscription that is set to end still ends. */
export async function paidUp(tx: TxCtx, { status, past_due_since: since }: Subscription): Promise<void> {
  if (since !== null) await change(tx, { status: status === 'past_due' ? 'active' : status, past_due_since: null });
}

/** The provider has received everything it billed, so every statement it bills is paid. */
export async function providerPaid(tx: TxCtx): Promise<void> {
  await tx.db
    .updateTable('sms_statements')
    .set({ paid_at: tx.now })
    .where(inScope(tx))
    .where('payment', '=', 'stripe')
    .where('paid_at', 'is', null)
    .execute();
}

/** Sets manually paid subscriptions with an overdue statement to `past_due`. Runs as a job. */
export async function findOverdue(system: System): Promise<void> {
  const { rows } = await sql<Overdue>`
    select distinct s.workspace_id, s.project_id, s.environment from sms_statements s /* all workspaces */
    join sms_subscriptions b using (workspace_id, project_id, environment)
    where s.paid_at is null and s.due_at <= ${system.clock.now()} and s.payment = 'manual' and b.past_due_since is null and b.status <> 'canceled'
    limit ${BATCH}`.execute(system.db);
  await eachAlone(system, rows, (row) =>
    transaction(systemCtx(system, scopeOf(row), 'billing', row.project_id), (tx) => paymentOverdue(tx)),
  );
}

/** A payment is overdue or failed: messages go on for a week, the subscription for thirty days. */
export async function paymentOverdue(tx: TxCtx): Promise<void> {
  const subscription = await lockSubscription(tx);
  if (!subscription || subscription.status === 'canceled' || subscription.past_due_since !== null) return;
  const status = subscription.status === 'canceling' ? 'canceling' : 'past_due';
  await change(tx, { status, past_due_since: tx.now });
  await emit(tx, 'billing.addon.past_due', { addon: 'sms', tierId: subscription.terms.id });
}

/**
 * Marks a statement of any scope as paid manually; for the operator of the installation.
 * @throws Problem NOT_FOUND
 */
export async function markPaid(system: System, id: string): Promise<void> {
  const { rows } = await sql<Overdue & { id: StatementId }>`
    select workspace_id, project_id, environment, id from sms_statements /* all workspaces */
    where id = ${id} and payment = 'manual'`.execute(system.db);
  const [found] = rows;
  if (!found) throw problem('NOT_FOUND');
  await statementPaid(systemCtx(system, scopeOf(found), 'operator', found.id), found.id);
}

const MAX_SHOWN = 1_000;

/** Unpaid statements of the installation that are paid manually, with their scopes; for its operator. */
export async function unpaidStatements(
  system: System,
): Promise<(Statement & { workspaceName: string; projectName: string })[]> {
  const { rows } = await sql<StatementsTable>`
    select * from sms_statements /* all workspaces */
    where paid_at is null and payment = 'manual' order by due_at limit ${MAX_SHOWN}`.execute(system.db);
  return Promise.all(
    rows.map(async (row) => {
      const { workspaceName, projectName } = await projectOf(system, scopeOf(row), system.db);
      return { ...shown(row), workspaceName, projectName };
    }),
  );
}
