import { AsyncLocalStorage } from 'node:async_hooks';

/** A request or other work that holds a connection of the pool while it is in a transaction. */
type Holder = { inside: boolean; unit: boolean };

const holders = new AsyncLocalStorage<Holder>();

/**
 * Runs the work of a transaction. A query to the pool during the work is reported: see {@link reportSecondConnection}.
 */
export async function inTransaction<T>(work: () => Promise<T>): Promise<T> {
  const holder = { inside: true, unit: false };
  try {
    return await holders.run(holder, work);
  } finally {
    // Work that continues in the background no longer holds the connection.
    holder.inside = false;
  }
}

/**
 * Runs a request that may become one transaction.
 * @param work receives a callback that records whether the request holds a connection
 */
export function asRequest<T>(work: (note: (held: boolean) => void) => T): T {
  const holder = { inside: false, unit: false };
  return holders.run(holder, () =>
    work((held) => {
      holder.unit = held;
    }),
  );
}

/** True for code that runs in a transaction, whichever context it uses. */
function isInTransaction(): boolean {
  return holders.getStore()?.inside === true;
}

type Observer = (stack: string) => void;
const observers = new Set<Observer>();

/** True if the request holds a connection: inside a transaction, or in a unit whose transaction has started. */
export function isConnectionHeld(): boolean {
  const holder = holders.getStore();
  return holder !== undefined && (holder.inside || holder.unit);
}

/**
 * Calls `observer` with the place that asked for a second connection.
 * @returns stops observing
 */
export function observeSecondConnections(observer: Observer): () => void {
  observers.add(observer);
  return () => observers.delete(observer);
}

/**
 * Reports a request for a second connection. Work that holds a connection must not wait for another: enough of them at
 * once would exhaust the pool and deadlock the process. Tests observe this and fail.
 */
export function reportSecondConnection(): void {
  if (observers.size === 0 || !isInTransaction()) return;
  const stack = new Error('a connection asked for while this request holds one').stack ?? '';
  for (const observer of observers) observer(stack);
}
