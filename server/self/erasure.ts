import { voidOpenProofs } from '#factors';
import { keepOwnersWithout } from '#members';
import { lockUsers, scheduleErasure } from '#people';
import { type Ctx, customerOf, transaction } from '#platform/ctx.ts';
import { revokeSessions } from '#sessions';

/**
 * Has the signed-in person erased in seven days and signs them out everywhere; signing in again before then keeps the account.
 * @returns when @throws Problem LAST_OWNER of any project of the workspace
 */
export function requestErasure(ctx: Ctx): Promise<Date> {
  const { userId } = customerOf(ctx);
  return transaction(ctx, async (tx) => {
    await lockUsers(tx, [userId]);
    await keepOwnersWithout(tx, userId);
    const erasesAt = await scheduleErasure(tx, userId);
    await voidOpenProofs(tx, userId);
    await revokeSessions(tx, userId, 'all', 'erasure');
    return erasesAt;
  });
}
