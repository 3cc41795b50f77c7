import type { TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { perSystem, type System } from '#platform/system.ts';

/** The hooks of a part that keeps data of users by their id. */
type Departure = {
  /**
   * Called when a user requests erasure.
   * @throws Problem if they can't be erased yet
   */
  requested: (tx: TxCtx, userId: UserId) => Promise<void>;
  /** Called when the user is erased, in the same transaction, before their data is gone. */
  erased: (tx: TxCtx, userId: UserId) => Promise<void>;
};

const departures = perSystem(() => new Set<Departure>());

/** Registers hooks that run before a user's erasure is scheduled and when it happens. */
export function whenPeopleLeave(system: System, departure: Departure): void {
  departures(system).add(departure);
}

/** Runs one step of a user's departure in every part that registered a hook. */
export async function takeLeave(tx: TxCtx, userId: UserId, step: keyof Departure): Promise<void> {
  for (const departure of departures(tx.system)) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await departure[step](tx, userId);
  }
}
