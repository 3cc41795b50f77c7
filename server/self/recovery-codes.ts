import { listFactors } from '#factors';
import { listPasskeys } from '#passkeys';
import type { TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { newRecoveryCodes, recoveryCodesLeft, removeRecoveryCodes } from '#recovery-codes';

/**
 * Creates recovery codes with the first second factor.
 * @returns the codes, shown once; nothing if the user has some
 */
export async function firstCodes(tx: TxCtx, userId: UserId): Promise<{ recoveryCodes?: string[] }> {
  if ((await recoveryCodesLeft(tx, userId)) > 0) return {};
  return { recoveryCodes: await newRecoveryCodes(tx, userId) };
}

/** Recovery codes stand in for a second factor, so they are removed with the last one. */
export async function factorRemoved(tx: TxCtx, userId: UserId): Promise<void> {
  const factors = await listFactors(tx, userId);
  const passkeys = await listPasskeys(tx, userId);
  if (factors.length > 0 || passkeys.some(({ secondFactor }) => secondFactor)) return;
  await removeRecoveryCodes(tx, userId);
}
