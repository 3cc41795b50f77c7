import { AsyncLocalStorage } from 'node:async_hooks';

/** A request, or other work, that holds a connection of the pool while it is in a transaction. */
type Holder = { inside: boolean; unit: boolean };

const holders = new AsyncLocalStorage<Holder>();

/** Runs a transaction's work. What it asks the pool for meanwhile is a second connection: see {@link tellSecondConnection}. */
export async function inTransaction<T>(work: () => Promise<T>): Promise<T> {
  const holder = { inside: true, unit: false };
  try {
    return await holders.run(holder, work);
  } finally {
    // What the work has begun and left behind holds nothing any more.
    holder.inside = false;
  }
}

/** Runs a request that may become one transaction. @param work is given what notes whether the request holds a connection */
export function asRequest<T>(work: (note: (held: boolean) => void) => T): T {
  const holder = { inside: false, unit: false };
  return holders.run(holder, () =>
    work((held) => {
      holder.unit = held;
    }),
  );
}

/** True for code that runs in a transaction, whatever context it was given. */
function isInTransaction(): boolean {
  return holders.getStore()?.inside === true;
}

type Observer = (stack: string) => void;
const observers = new Set<Observer>();

/** True where the request holds a connection: in a transaction, or once the transaction that the whole request is has begun. */
export function isConnectionHeld(): boolean {
  const holder = holders.getStore();
  return holder !== undefined && (holder.inside || holder.unit);
}

/** Calls `observer` with the place that asked for a second connection. @returns stops observing */
export function observeSecondConnections(observer: Observer): () => void {
  observers.add(observer);
  return () => observers.delete(observer);
}

/**
 * Work that holds a connection must not wait for another one: as many such works as the pool has connections would wait for
 * each other, and everybody else for them. Tests observe this and fail.
 */
export function tellSecondConnection(): void {
  if (observers.size === 0 || !isInTransaction()) return;
  const stack = new Error('a connection asked for while this request holds one').stack ?? '';
  for (const observer of observers) observer(stack);
}
