import type { TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { perSystem, type System } from '#platform/system.ts';

/** What a part that holds something of a person by their id has to say when they go. */
type Departure = {
  /** When they ask to be erased. @throws Problem when they can't go yet */
  requested: (tx: TxCtx, userId: UserId) => Promise<void>;
  /** When they are erased, in the same transaction, while it is still known who they are. */
  erased: (tx: TxCtx, userId: UserId) => Promise<void>;
};

const departures = perSystem(() => new Set<Departure>());

/** Has a part asked before a person's erasure is scheduled, and told when it happens. */
export function whenPeopleLeave(system: System, departure: Departure): void {
  departures(system).add(departure);
}

/** Takes one step of a person's departure with every part that asked to. */
export async function takeLeave(tx: TxCtx, userId: UserId, step: keyof Departure): Promise<void> {
  for (const departure of departures(tx.system)) {
    // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
    await departure[step](tx, userId);
  }
}
