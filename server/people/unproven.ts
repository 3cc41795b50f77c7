import { sql } from 'kysely';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { lockUser } from './users.ts';

/** What somebody signs in with, or in place of a second factor, and when each was put on the account. */
const CREDENTIALS = [
  ['passwords', 'changed_at'],
  ['passkeys', 'created_at'],
  ['mfa_factors', 'created_at'],
  ['recovery_codes', 'created_at'],
  ['linked_identities', 'linked_at'],
  ['remembered_devices', 'created_at'],
] as const;

/**
 * Removes what was put on an account since one of its addresses came to it without a proof: every way in, every second factor,
 * and the other addresses. What is older stays, and so does everything where another address of the account was proven by then:
 * that account had an owner already.
 * @returns whether anything may have been removed: false for an address that is proven, is not the account's, or came to an owner's
 */
export async function removeUnproven(tx: TxCtx, userId: UserId, address: string): Promise<boolean> {
  await lockUser(tx, userId);
  const since = await unprovenSince(tx, userId, address);
  if (!since) return false;
  const { workspaceId, environment } = tx.scope;
  const own = sql`workspace_id = ${workspaceId} and environment = ${environment} and user_id = ${userId}`;
  for (const [table, at] of CREDENTIALS) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await sql`delete from ${sql.table(table)} where ${own} and ${sql.ref(at)} >= ${since}`.execute(tx.db);
  }
  await tx.db
    .deleteFrom('identifiers')
    .where('workspace_id', '=', workspaceId)
    .where('environment', '=', environment)
    .where('user_id', '=', userId)
    .where('kind', 'in', ['email', 'phone'])
    .where('value', '!=', address)
    .where('created_at', '>=', since)
    .execute();
  return true;
}

/** When an address came to an account that nobody had proven an address of; undefined: proven, or an owner's. Served by identifiers_of_user. */
export async function unprovenSince(ctx: Ctx | TxCtx, userId: UserId, address: string): Promise<Date | undefined> {
  const rows = await ctx.db
    .selectFrom('identifiers')
    .select(['value', 'created_at', 'verified_at'])
    .where('workspace_id', '=', ctx.scope.workspaceId)
    .where('environment', '=', ctx.scope.environment)
    .where('user_id', '=', userId)
    .where('kind', 'in', ['email', 'phone'])
    .execute();
  const row = rows.find(({ value }) => value === address);
  if (!row || row.verified_at) return undefined;
  const owned = rows.some(({ verified_at: proven }) => proven && proven <= row.created_at);
  return owned ? undefined : row.created_at;
}
