import { emit } from '#events';
import { unprovenSince } from '#identifiers';
import { credentialChanged } from '#notices';
import { lockUser } from '#people';
import type { TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';

/**
 * Gives an account to the first person who proves its address, if somebody else created it with that address.
 * Credentials added by the creator would otherwise still let them in, or keep the owner out ("pre-hijacking"; ASVS
 * 6.4.1). Call it before the address is marked as verified. Removes every credential, second factor and other address
 * that is not older than the address. Older ones stay, and everything stays if another address of the account was
 * verified by then, because the account had an owner already.
 * @returns whether the account was taken over; only possible until the address is verified
 */
export async function takeOver(tx: TxCtx, userId: UserId, address: string): Promise<boolean> {
  await lockUser(tx, userId);
  const since = await unprovenSince(tx, userId, address);
  if (!since) return false;
  for (const { reclaim } of tx.system.parts) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await reclaim?.(tx, { userId, since, address });
  }
  await emit(tx, 'user.reclaimed', { userId });
  await credentialChanged(tx, userId, 'reclaimed');
  return true;
}
