import { emit } from '#events';
import { credentialChanged } from '#notices';
import { removeUnproven } from '#people';
import type { TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';

/**
 * Gives an account to whoever proves its address first, where somebody else made it with that address: what they put on it would
 * go on letting them in, or keep the owner out ("pre-hijacking"; ASVS 6.4.1). To be called before the address is noted as proven.
 * @returns whether the account was taken over: no longer than until its address is proven
 */
export async function takeOver(tx: TxCtx, userId: UserId, address: string): Promise<boolean> {
  if (!(await removeUnproven(tx, userId, address))) return false;
  await emit(tx, 'user.reclaimed', { userId });
  await credentialChanged(tx, userId, 'reclaimed');
  return true;
}
