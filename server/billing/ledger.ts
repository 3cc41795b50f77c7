import { type Static, Type } from 'typebox';
import type { Ctx, Environment, TxCtx } from '#platform/ctx.ts';
import { type Id, IdSchema, newId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { newestFirst, type Page, PageQuery } from '#platform/page.ts';
import { Instant } from '#platform/schemas.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import type { PeriodId } from './usage.ts';

export type LedgerId = Id<'led'>;

/**
 * A message segment that a carrier accepted, the price of a period, of a tier change within a period, or a payment
 * received.
 */
type Kind = 'segment' | 'fee' | 'proration' | 'payment';

type LedgerTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  id: LedgerId;
  period_id: PeriodId;
  kind: Kind;
  reference: string;
  part: number;
  amount: number;
  currency: string;
  country: string | null;
  created_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    sms_ledger: LedgerTable;
  }
}

export const LedgerEntry = Type.Object({
  id: IdSchema('led'),
  periodId: IdSchema('bpr'),
  kind: Type.Enum(['segment', 'fee', 'proration', 'payment']),
  reference: Type.String({ description: 'The message, period or statement that caused the entry.' }),
  part: Type.Integer({ description: 'Which segment of the message, from 1.' }),
  amount: Type.Integer({ description: 'Minor units; negative for money received.' }),
  currency: Type.String(),
  country: Type.Union([Type.String(), Type.Null()]),
  createdAt: Instant,
});
type LedgerEntry = Static<typeof LedgerEntry>;

export const LedgerQuery = Type.Interface([PageQuery], {
  periodId: Type.Optional(IdSchema('bpr')),
});

export type NewEntry = Pick<LedgerTable, 'period_id' | 'kind' | 'reference' | 'part' | 'amount' | 'currency'> & {
  country?: string | null;
};

/**
 * Adds entries. An existing entry (same kind, reference and part) stays unchanged.
 * @returns the ids of the new entries
 */
export async function appendEntries(tx: TxCtx, entries: readonly NewEntry[]): Promise<LedgerId[]> {
  if (entries.length === 0) return [];
  const rows = await tx.db
    .insertInto('sms_ledger')
    .values(
      entries.map((entry) => ({
        country: null,
        ...entry,
        ...scopeColumns(tx),
        id: newId('led', tx.now),
        created_at: tx.now,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'project_id', 'environment', 'kind', 'reference', 'part']).doNothing(),
    )
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** True if there is an entry of this kind for the reference. Served by sms_ledger_once. */
export async function hasEntry(ctx: Ctx | TxCtx, kind: Kind, reference: string): Promise<boolean> {
  const entry = await ctx.db
    .selectFrom('sms_ledger')
    .select('id')
    .where(inScope(ctx))
    .where('kind', '=', kind)
    .where('reference', '=', reference)
    .limit(1)
    .executeTakeFirst();
  return entry !== undefined;
}

/** Entries, newest first. Served by the primary key, for one period by sms_ledger_of_period. */
export async function listEntries(
  ctx: Ctx,
  { limit, cursor, periodId }: Static<typeof LedgerQuery>,
): Promise<Page<LedgerEntry>> {
  const list = `sms-ledger ${periodId ?? ''}`;
  let query = ctx.db.selectFrom('sms_ledger').selectAll().where(inScope(ctx));
  if (periodId !== undefined) query = query.where('period_id', '=', periodId);
  const page = await newestFirst(ctx, query, { list, limit, cursor });
  const items = page.rows.map((row) => ({
    id: row.id,
    periodId: row.period_id,
    kind: row.kind,
    reference: row.reference,
    part: row.part,
    amount: row.amount,
    currency: row.currency,
    country: row.country,
    createdAt: row.created_at.toISOString(),
  }));
  return { items, nextCursor: page.nextCursor };
}

/** The total of a period: segments, and minor units by kind. */
export async function sumOf(
  tx: TxCtx,
  periodId: PeriodId,
): Promise<{ segments: number; overage: number; fees: number }> {
  const row = await tx.db
    .selectFrom('sms_ledger')
    .select((eb) => [
      eb.fn.countAll<number>().filterWhere('kind', '=', 'segment').as('segments'),
      eb.fn.coalesce(eb.fn.sum<string>('amount').filterWhere('kind', '=', 'segment'), eb.lit(0)).as('overage'),
      eb.fn.coalesce(eb.fn.sum<string>('amount').filterWhere('kind', 'in', ['fee', 'proration']), eb.lit(0)).as('fees'),
    ])
    .where(inScope(tx))
    .where('period_id', '=', periodId)
    .executeTakeFirstOrThrow();
  return { segments: row.segments, overage: Number(row.overage), fees: Number(row.fees) };
}
