import type { TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { perSystem, type System } from '#platform/system.ts';

/** The hooks of a part that keeps data of users by their id. */
type ErasureSteps = {
  /**
   * Called when a user requests erasure.
   * @throws Problem if they can't be erased yet
   */
  requested: (tx: TxCtx, userId: UserId) => Promise<void>;
  /** Called when the user is erased, in the same transaction, before their data is gone. */
  erased: (tx: TxCtx, userId: UserId) => Promise<void>;
};

const participants = perSystem(() => new Set<ErasureSteps>());

/** Registers hooks that run before a user's erasure is scheduled and when it happens. */
export function joinErasures(system: System, steps: ErasureSteps): void {
  participants(system).add(steps);
}

/** Runs one step of a user's steps in every part that registered a hook. */
export async function runErasureStep(tx: TxCtx, userId: UserId, step: keyof ErasureSteps): Promise<void> {
  for (const steps of participants(tx.system)) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await steps[step](tx, userId);
  }
}
