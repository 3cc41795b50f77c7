import type { TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';

/** Runs a step of a user's erasure in every part that takes part in it. */
export async function runErasureStep(tx: TxCtx, userId: UserId, step: 'requested' | 'erased'): Promise<void> {
  for (const { erasure } of tx.system.parts) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await erasure?.[step](tx, userId);
  }
}
