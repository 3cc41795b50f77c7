import { sql } from 'kysely';
import type { TxCtx } from '#platform/ctx.ts';
import { problem } from '#platform/problem.ts';
import { ofRemoved, type Removed } from '#platform/removal.ts';

/**
 * Checks that nothing is subscribed or owed: after the deletion nothing can be billed or cancelled. The test
 * environment is free and does not count.
 * @throws Problem CONFLICT
 */
export async function requireSettled(tx: TxCtx, removed: Removed): Promise<void> {
  const production = sql`${ofRemoved(removed)} and environment = 'production'`;
  const { rows } = await sql<{ running: boolean; unbilled: boolean; unpaid: boolean }>`
    select
      exists (select from sms_subscriptions where ${production} and status <> 'canceled') as running,
      exists (select from sms_periods where ${production} and closed_at is not null and statement_id is null)
        or exists (select from sms_payment_reports where ${production}) as unbilled,
      exists (select from sms_statements where ${production} and paid_at is null) as unpaid`.execute(tx.db);
  const { running, unbilled, unpaid } = rows[0] ?? {};
  if (running) throw problem('CONFLICT', 'The SMS add-on is active in production. Cancel it first.');
  if (unbilled)
    throw problem('CONFLICT', 'The last period of the SMS add-on is still being billed. Try again in a minute.');
  if (unpaid) throw problem('CONFLICT', 'A statement of the SMS add-on is unpaid.');
}
