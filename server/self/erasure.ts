import { voidOpenProofs } from '#credential-changes';
import { keepOwnersWithout } from '#members';
import { lockUsers, scheduleErasure } from '#people';
import { type Ctx, customerOf, transaction } from '#platform/ctx.ts';
import { revokeSessions } from '#sessions';

/**
 * Schedules the erasure of the signed-in user in seven days and ends all their sessions; signing in before then cancels
 * it.
 * @returns when the user is erased
 * @throws Problem LAST_OWNER of any project of the workspace
 */
export function requestErasure(ctx: Ctx): Promise<Date> {
  const { userId } = customerOf(ctx);
  return transaction(ctx, async (tx) => {
    await lockUsers(tx, [userId]);
    await keepOwnersWithout(tx, userId);
    const erasesAt = await scheduleErasure(tx, userId, 'requested');
    await voidOpenProofs(tx, userId);
    await revokeSessions(tx, userId, 'all', 'erasure');
    return erasesAt;
  });
}
