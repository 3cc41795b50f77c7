import { type Static, Type } from 'typebox';
import { emit } from '#events';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import type { ProjectId, WorkspaceId } from '#platform/ids.ts';
import { deleteOldRows } from '#platform/part.ts';
import { problem, problemWithRetry } from '#platform/problem.ts';
import { Instant } from '#platform/schemas.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import type { System } from '#platform/system.ts';
import type { GuardRules } from './guard-rules.ts';
import { blockOf } from './numbers.ts';

type ConversionsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  prefix: string;
  hour: Date;
  sent: number;
  used: number;
};

type BlocksTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  prefix: string;
  reason: string;
  sent: number;
  used: number;
  created_at: Date;
  expires_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    sms_conversions: ConversionsTable;
    sms_blocks: BlocksTable;
  }
}

const HOUR_MS = 3_600_000;
const WINDOW_MS = 24 * HOUR_MS;

/** Counts a code that was sent to a number, or entered by its owner. */
export async function countCode(tx: TxCtx, phone: string, what: 'sent' | 'used'): Promise<void> {
  await tx.db
    .insertInto('sms_conversions')
    .values({
      ...scopeColumns(tx),
      prefix: blockOf(phone),
      hour: new Date(Math.floor(tx.now.getTime() / HOUR_MS) * HOUR_MS),
      sent: what === 'sent' ? 1 : 0,
      used: what === 'used' ? 1 : 0,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'project_id', 'environment', 'prefix', 'hour'])
        .doUpdateSet((eb) => ({ [what]: eb(`sms_conversions.${what}`, '+', 1) })),
    )
    .execute();
}

/**
 * Refuses a number in a block whose codes are rarely entered. The first refusal blocks the whole block for a while and
 * writes an event.
 * @throws Problem RATE_LIMIT_EXCEEDED
 */
export async function checkConversion(ctx: Ctx, phone: string, rules: GuardRules): Promise<void> {
  const prefix = blockOf(phone);
  const block = await scopedBlocks(ctx)
    .select('expires_at')
    .where('prefix', '=', prefix)
    .where('expires_at', '>', ctx.now)
    .executeTakeFirst();
  if (block) throw heldBack(ctx, block.expires_at);
  if (rules.conversionPercent === 0) return;
  const { sent, used } = await ctx.db
    .selectFrom('sms_conversions')
    .select((eb) => [
      eb.fn.coalesce(eb.fn.sum<number>('sent'), eb.lit(0)).as('sent'),
      eb.fn.coalesce(eb.fn.sum<number>('used'), eb.lit(0)).as('used'),
    ])
    .where(inScope(ctx))
    .where('prefix', '=', prefix)
    .where('hour', '>', new Date(ctx.now.getTime() - WINDOW_MS))
    .executeTakeFirstOrThrow();
  if (sent < rules.conversionSample || used * 100 >= rules.conversionPercent * sent) return;
  throw heldBack(ctx, await blockNumbers(ctx, { prefix, sent, used, seconds: rules.blockSeconds }));
}

function heldBack(ctx: Ctx, until: Date) {
  return problemWithRetry('RATE_LIMIT_EXCEEDED', (until.getTime() - ctx.now.getTime()) / 1000);
}

/** Uses a separate transaction, so the block is stored although the message is refused. */
async function blockNumbers(
  ctx: Ctx,
  found: { prefix: string; sent: number; used: number; seconds: number },
): Promise<Date> {
  const { prefix, sent, used, seconds } = found;
  const expiresAt = new Date(ctx.now.getTime() + seconds * 1000);
  await transaction(ctx, async (tx) => {
    const fresh = { reason: 'conversion', sent, used, created_at: tx.now, expires_at: expiresAt };
    const made = await tx.db
      .insertInto('sms_blocks')
      .values({ ...scopeColumns(tx), prefix, ...fresh })
      .onConflict((conflict) =>
        conflict
          .columns(['workspace_id', 'project_id', 'environment', 'prefix'])
          .doUpdateSet(fresh)
          .where('sms_blocks.expires_at', '<=', tx.now),
      )
      .returning('prefix')
      .executeTakeFirst();
    if (made)
      await emit(tx, 'sms.guard.tripped', {
        rule: 'conversion',
        prefix,
        detail: `${used} of ${sent} codes were used within a day`,
      });
  });
  return expiresAt;
}

function scopedBlocks(ctx: Ctx | TxCtx) {
  return ctx.db.selectFrom('sms_blocks').where(inScope(ctx));
}

export const Block = Type.Object({
  prefix: Type.String({ examples: ['+49151123'], description: 'All numbers with this prefix and four more digits.' }),
  reason: Type.String(),
  sent: Type.Integer(),
  used: Type.Integer(),
  createdAt: Instant,
  expiresAt: Instant,
});

const MAX_SHOWN = 10_000;

/** Active blocks, newest first, at most 100. */
export async function listBlocks(ctx: Ctx): Promise<Static<typeof Block>[]> {
  const rows = await scopedBlocks(ctx)
    .select(['prefix', 'reason', 'sent', 'used', 'created_at', 'expires_at'])
    .where('expires_at', '>', ctx.now)
    .orderBy('created_at', 'desc')
    .limit(MAX_SHOWN)
    .execute();
  return rows.map(({ created_at: created, expires_at: expires, ...row }) => ({
    ...row,
    createdAt: created.toISOString(),
    expiresAt: expires.toISOString(),
  }));
}

/**
 * Lifts the block of a prefix and resets its counters.
 * @throws Problem NOT_FOUND
 */
export async function removeBlock(ctx: Ctx, prefix: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const removed = await tx.db
      .deleteFrom('sms_blocks')
      .where(inScope(tx))
      .where('prefix', '=', prefix)
      .returning('prefix')
      .executeTakeFirst();
    if (!removed) throw problem('NOT_FOUND');
    await tx.db.deleteFrom('sms_conversions').where(inScope(tx)).where('prefix', '=', prefix).execute();
    await emit(tx, 'sms.guard.unblocked', { prefix });
  });
}

/** Deletes counters that are older than the window of the rules. Runs as a job. */
export async function removeOldConversions(system: System): Promise<void> {
  const before = new Date(system.clock.now().getTime() - 2 * WINDOW_MS);
  await deleteOldRows(system, 'sms_conversions', { column: 'hour', before });
}
