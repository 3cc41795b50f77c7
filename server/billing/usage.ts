import type { Generated, Selectable } from 'kysely';
import { sql } from 'kysely';
import { emitAll } from '#events';
import type { Ctx, Environment, TxCtx } from '#platform/ctx.ts';
import type { Json } from '#platform/db.ts';
import { type Id, newId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import type { SmsTier } from '#platform/sms-tiers.ts';
import { appendEntries } from './ledger.ts';
import { queueReports } from './payment-reports.ts';

export type PeriodId = Id<'bpr'>;
export type SubscriptionId = Id<'sub'>;
type MessageId = Id<'msg'>;

type PeriodsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  id: PeriodId;
  subscription_id: SubscriptionId;
  starts_at: Date;
  ends_at: Date;
  terms: Json<SmsTier>;
  used: Generated<number>;
  reserved: Generated<number>;
  warned: Generated<number>;
  customer_ref: string | null;
  closed_at: Date | null;
  statement_id: string | null;
};

type ReservationsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  message_id: MessageId;
  period_id: PeriodId;
  segments: number;
  country: string | null;
  created_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    sms_periods: PeriodsTable;
    sms_reservations: ReservationsTable;
  }
}

export type Period = Pick<
  Selectable<PeriodsTable>,
  'id' | 'starts_at' | 'ends_at' | 'terms' | 'used' | 'reserved' | 'warned' | 'customer_ref'
>;

const COLUMNS = ['id', 'starts_at', 'ends_at', 'terms', 'used', 'reserved', 'warned', 'customer_ref'] as const;

/** Percentages of the cap that cause a warning, each once per period. */
const WARNINGS = [50, 80, 100] as const;

/** Opens a period. */
export async function openPeriod(
  tx: TxCtx,
  period: { subscriptionId: SubscriptionId; customerRef: string | null; start: Date; end: Date; terms: SmsTier },
): Promise<PeriodId> {
  const id = newId('bpr', tx.now);
  await tx.db
    .insertInto('sms_periods')
    .values({
      ...scopeColumns(tx),
      id,
      subscription_id: period.subscriptionId,
      starts_at: period.start,
      ends_at: period.end,
      terms: JSON.stringify(period.terms),
      customer_ref: period.customerRef,
      closed_at: null,
      statement_id: null,
    })
    .execute();
  return id;
}

/** Closes a period: nothing more can be reserved. Existing reservations may still be settled. */
export async function closePeriod(tx: TxCtx, id: PeriodId): Promise<void> {
  await scopedUpdate(tx, id).set({ closed_at: tx.now }).where('closed_at', 'is', null).execute();
}

/** Applies a bigger tier within a period: its cap applies at once, and warnings restart above the current use. */
export async function raiseTerms(tx: TxCtx, id: PeriodId, terms: SmsTier): Promise<void> {
  const { used } = await scopedUpdate(tx, id)
    .set({ terms: JSON.stringify(terms) })
    .returning('used')
    .executeTakeFirstOrThrow();
  await scopedUpdate(tx, id)
    .set({ warned: levelOf(used, terms.hardCap) })
    .execute();
}

function scopedUpdate(tx: TxCtx, id: PeriodId) {
  return tx.db.updateTable('sms_periods').where(inScope(tx)).where('id', '=', id);
}

/** Served by the primary key. */
export async function findPeriod(ctx: Ctx | TxCtx, id: PeriodId): Promise<Period> {
  return ctx.db
    .selectFrom('sms_periods')
    .select(COLUMNS)
    .where(inScope(ctx))
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

/** The refusal at the cap, with the plan's limit and the current use. */
export function limitExceeded({ terms, used, reserved }: Period) {
  return problem('PLAN_LIMIT_EXCEEDED', {
    detail: `The tier "${terms.name}" allows ${terms.hardCap} SMS segments in a period. Upgrade the tier, or wait for the next period.`,
    extensions: { limit: 'sms_segments', allowed: terms.hardCap, current: used + reserved, plan: terms.id },
  });
}

/**
 * Reserves segments of a period for a message. Locks the period, so parallel messages can't exceed the cap.
 * @param reservation.messageId null only checks whether there is room
 */
export async function reserveSegments(
  tx: TxCtx,
  periodId: PeriodId,
  { messageId, segments, country }: { messageId: MessageId | null; segments: number; country: string | null },
): Promise<void> {
  const promised = messageId === null ? 0 : segments;
  const row = await scopedUpdate(tx, periodId)
    .set((eb) => ({ reserved: eb('reserved', '+', promised) }))
    .where(sql<boolean>`used + reserved + ${segments} <= (terms->>'hardCap')::integer`)
    .returning('id')
    .executeTakeFirst();
  if (!row) throw limitExceeded(await findPeriod(tx, periodId));
  if (messageId === null) return;
  await tx.db
    .insertInto('sms_reservations')
    .values({
      ...scopeColumns(tx),
      message_id: messageId,
      period_id: periodId,
      segments,
      country,
      created_at: tx.now,
    })
    .execute();
}

async function takeReservation(tx: TxCtx, messageId: MessageId) {
  return tx.db
    .deleteFrom('sms_reservations')
    .where(inScope(tx))
    .where('message_id', '=', messageId)
    .returning(['period_id', 'segments', 'country'])
    .executeTakeFirst();
}

/**
 * Turns a message's reservation into ledger entries, one per segment. Idempotent: a second call finds no reservation.
 */
export async function settleSegments(tx: TxCtx, messageId: MessageId): Promise<void> {
  const reservation = await takeReservation(tx, messageId);
  if (!reservation) return;
  const { period_id: periodId, segments, country } = reservation;
  const period = await scopedUpdate(tx, periodId)
    .set((eb) => ({ reserved: eb('reserved', '-', segments), used: eb('used', '+', segments) }))
    .returning([...COLUMNS])
    .executeTakeFirstOrThrow();
  const { terms } = period;
  const price = tx.scope.environment === 'test' ? 0 : (terms.overagePrice ?? 0);
  const before = period.used - segments;
  const entries = Array.from({ length: segments }, (_, index) => ({
    period_id: periodId,
    kind: 'segment' as const,
    reference: messageId,
    part: index + 1,
    amount: before + index >= terms.included ? price : 0,
    currency: terms.currency,
    country,
  }));
  const ids = await appendEntries(tx, entries);
  const charged = ids.filter((_, index) => (entries[index]?.amount ?? 0) > 0);
  await queueReports(tx, period.customer_ref, charged);
  await warn(tx, period);
}

/** True while messages of the scope are in transit. */
export async function isOnItsWay(ctx: Ctx | TxCtx): Promise<boolean> {
  const waiting = await ctx.db
    .selectFrom('sms_reservations')
    .select('message_id')
    .where(inScope(ctx))
    .limit(1)
    .executeTakeFirst();
  return waiting !== undefined;
}

/** Releases a message's reservation, because no carrier took it. */
export async function releaseSegments(tx: TxCtx, messageId: MessageId): Promise<void> {
  const reservation = await takeReservation(tx, messageId);
  if (!reservation) return;
  await scopedUpdate(tx, reservation.period_id)
    .set((eb) => ({ reserved: eb('reserved', '-', reservation.segments) }))
    .execute();
}

/** The highest warning percentage reached. */
function levelOf(used: number, cap: number): number {
  return WARNINGS.findLast((percent) => used * 100 >= cap * percent) ?? 0;
}

/** Writes an event for every level just reached. The caller holds the period's lock, so each is written once. */
async function warn(tx: TxCtx, { id, used, warned, terms, ends_at: end }: Period): Promise<void> {
  const level = levelOf(used, terms.hardCap);
  if (level <= warned) return;
  await scopedUpdate(tx, id).set({ warned: level }).execute();
  const reached = WARNINGS.filter((percent) => percent > warned && percent <= level);
  await emitAll(
    tx,
    reached.map((percent) => ({
      type: 'sms.limit.warning' as const,
      data: { percent, used, allowed: terms.hardCap, plan: terms.id, periodEnd: end.toISOString() },
    })),
  );
}
