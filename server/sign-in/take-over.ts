import { forgetDevicesSince } from '#devices';
import { emit } from '#events';
import { removeFactorsSince } from '#factors';
import { unlinkSince } from '#linked-identities';
import { credentialChanged } from '#notices';
import { removePasskeysSince } from '#passkeys';
import { removePasswordSince } from '#passwords';
import { lockUser, removeIdentifiersSince, unprovenSince } from '#people';
import type { TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { removeRecoveryCodesSince } from '#recovery-codes';

/**
 * Gives an account to the first person who proves its address, where somebody else made it with that address: what they put on it
 * would go on letting them in, or keep the owner out ("pre-hijacking"; ASVS 6.4.1). Call it before the address is marked as proven.
 * Removes every way in, every second factor and every other address that is as new as the address. Older ones stay, and so does
 * everything where another address of the account was proven by then: that account had an owner already.
 * @returns whether the account was taken over: no longer than until its address is proven
 */
export async function takeOver(tx: TxCtx, userId: UserId, address: string): Promise<boolean> {
  await lockUser(tx, userId);
  const since = await unprovenSince(tx, userId, address);
  if (!since) return false;
  await removePasswordSince(tx, userId, since);
  await removePasskeysSince(tx, userId, since);
  await removeFactorsSince(tx, userId, since);
  await removeRecoveryCodesSince(tx, userId, since);
  await forgetDevicesSince(tx, userId, since);
  await unlinkSince(tx, userId, since);
  await removeIdentifiersSince(tx, userId, { since, except: address });
  await emit(tx, 'user.reclaimed', { userId });
  await credentialChanged(tx, userId, 'reclaimed');
  return true;
}
