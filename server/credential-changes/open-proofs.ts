import { removeChallengesOf } from '#passkeys';
import type { TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { perSystem, type System } from '#platform/system.ts';

type Voiding = (tx: TxCtx, userId: UserId) => Promise<void>;

const voidings = perSystem(() => new Set<Voiding>());

/** Registers a part that keeps open proofs (links, codes, challenges); it is called when those of a user end. */
export function whenProofsEnd(system: System, voiding: Voiding): void {
  voidings(system).add(voiding);
}

/**
 * Ends every open proof of a user: mailed links and codes, sign-ins that wait for a second factor, exchange codes,
 * sign-ins at a provider and passkey challenges. A flow started before a change of credentials must not be finished
 * after it (NIST SP 800-63B-4 §4.6). Invitations stay, because they do not prove who the user is.
 */
export async function voidOpenProofs(tx: TxCtx, userId: UserId): Promise<void> {
  await removeChallengesOf(tx, userId);
  for (const voiding of voidings(tx.system)) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await voiding(tx, userId);
  }
}
