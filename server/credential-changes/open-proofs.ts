import type { TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';

/**
 * Ends every open proof of a user: mailed links and codes, sign-ins that wait for a second factor, exchange codes,
 * sign-ins at a provider and passkey challenges. A flow started before a change of credentials must not be finished
 * after it (NIST SP 800-63B-4 §4.6). Invitations stay, because they do not prove who the user is.
 */
export async function voidOpenProofs(tx: TxCtx, userId: UserId): Promise<void> {
  for (const { endProofs } of tx.system.parts) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await endProofs?.(tx, userId);
  }
}
