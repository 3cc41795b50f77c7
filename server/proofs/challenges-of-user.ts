import { sql } from 'kysely';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { acrossProjects } from '#platform/scoped.ts';
import { removeRegistrationsOf } from '#registrations';

/** The open challenges of a user, without their secrets. */
export async function addressChallengesOf(ctx: Pick<Ctx, 'db' | 'scope'>, userId: UserId) {
  const rows = await ctx.db
    .selectFrom('flows')
    .select(['purpose', 'channel', 'address', 'ip', 'user_agent', 'created_at', 'expires_at'])
    .where(acrossProjects(ctx))
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .execute();
  return rows.map(({ user_agent: userAgent, created_at: createdAt, expires_at: expiresAt, ...row }) => ({
    ...row,
    userAgent,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  }));
}

/** Ends the open challenges of a user: their codes and links stop working. Served by flows_of_user. */
export async function voidAddressChallengesOf(tx: TxCtx, userId: UserId): Promise<void> {
  await tx.db
    .updateTable('flows')
    .set({ used_at: tx.now })
    .where(acrossProjects(tx))
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .execute();
}

/** Deletes every challenge and begun registration of a user, or with one of these addresses. */
export async function removeAddressChallengesOf(
  tx: TxCtx,
  userId: UserId,
  addresses: readonly string[],
): Promise<void> {
  await tx.db
    .deleteFrom('flows')
    .where(acrossProjects(tx))
    .where((eb) => eb.or([eb('user_id', '=', userId), eb('address', '=', sql<string>`any(${[...addresses]})`)]))
    .execute();
  await removeRegistrationsOf(tx, userId, addresses);
}
