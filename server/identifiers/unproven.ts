import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import type { Reclaimed } from '#platform/part.ts';
import { inRealm } from '#platform/scoped.ts';

/** Removes the other identifiers that were added to an account since then. The caller has locked the user. */
export async function removeIdentifiersSince(tx: TxCtx, { userId, since, address }: Reclaimed): Promise<void> {
  await tx.db
    .deleteFrom('identifiers')
    .where(inRealm(tx))
    .where('user_id', '=', userId)
    .where('kind', 'in', ['email', 'phone'])
    .where('value', '!=', address)
    .where('created_at', '>=', since)
    .execute();
}

/**
 * When the address was added to an account that had no verified address. Served by identifiers_of_user.
 * @returns undefined if the address is verified, or another one was verified before it was added
 */
export async function unprovenSince(ctx: Ctx | TxCtx, userId: UserId, address: string): Promise<Date | undefined> {
  const rows = await ctx.db
    .selectFrom('identifiers')
    .select(['value', 'created_at', 'verified_at'])
    .where(inRealm(ctx))
    .where('user_id', '=', userId)
    .where('kind', 'in', ['email', 'phone'])
    .execute();
  const row = rows.find(({ value }) => value === address);
  if (!row || row.verified_at) return undefined;
  const owned = rows.some(({ verified_at: proven }) => proven && proven <= row.created_at);
  return owned ? undefined : row.created_at;
}
