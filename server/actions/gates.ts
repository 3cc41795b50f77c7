import { perSystem, type System } from '#platform/system.ts';
import type { ActionId } from './actions.ts';

/** Calls of one action that a process makes at once; one more fails at once, so that nobody waits for others. */
const MAX_AT_ONCE = 50;
/** After this many calls in a row that the receiver did not serve, it is left alone for a while. */
const MAX_UNSERVED = 5;
const PAUSE_MS = 30_000;

/** Limits the calls of one action in this process, so that a receiver that is slow or away delays few people. */
class Gate {
  #running = 0;
  #unserved = 0;
  #pausedUntil = 0;

  /** @returns why no call is made; undefined if the caller may make one, and then calls {@link leave} */
  enter(now: Date): string | undefined {
    if (now.getTime() < this.#pausedUntil) return 'not called, because the last calls got no response';
    if (this.#running >= MAX_AT_ONCE) return `not called, because ${MAX_AT_ONCE} calls are in progress`;
    // After a pause one call tries; until it has ended, the others are not made.
    if (this.#unserved >= MAX_UNSERVED) this.#pausedUntil = now.getTime() + PAUSE_MS;
    this.#running += 1;
    return undefined;
  }

  leave(served: boolean, now: Date): void {
    this.#running -= 1;
    this.#unserved = served ? 0 : this.#unserved + 1;
    if (served) this.#pausedUntil = 0;
    else if (this.#unserved >= MAX_UNSERVED) this.#pausedUntil = now.getTime() + PAUSE_MS;
  }
}

/** The number of gates; beyond it the oldest is dropped. */
const MAX_GATES = 10_000;
const gates = perSystem(() => new Map<ActionId, Gate>());

export function gateOf(system: System, id: ActionId): Gate {
  const known = gates(system);
  const found = known.get(id);
  if (found) return found;
  const oldest = known.size >= MAX_GATES ? known.keys().next().value : undefined;
  if (oldest !== undefined) known.delete(oldest);
  const gate = new Gate();
  known.set(id, gate);
  return gate;
}
