import { problemWithRetry } from './problem.ts';

/** Limits: concurrent turns, concurrent turns of one caller, length of the queue, and the longest wait. */
type Bounds = { atOnce: number; atOncePerCaller?: number; waiting: number; waitSeconds?: number };

type Waiter = { admit: () => void; refuse: () => void };

/** `Retry-After` of a refusal, in seconds. */
const RETRY_SECONDS = 5;

/**
 * Limits concurrency. Callers wait in a queue and take turns (round robin), so a caller with many requests delays only
 * itself. When the queue is full, the caller with the longest line is refused.
 */
export class FairQueue {
  readonly #bounds: Bounds;
  readonly #lines = new Map<string, Waiter[]>();
  readonly #running = new Map<string, number>();
  #atWork = 0;
  #waiting = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get running(): number {
    return this.#atWork;
  }

  /**
   * Waits for a turn.
   * @returns ends the turn; idempotent
   * @throws Problem SERVICE_UNAVAILABLE if the queue is full or the wait is too long
   */
  async take(caller: string): Promise<() => void> {
    if (this.#waiting === 0 && this.#hasRoom(caller)) this.#begin(caller);
    else await this.#wait(caller);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#end(caller);
      this.#admitNext();
    };
  }

  async run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    const end = await this.take(caller);
    try {
      return await work();
    } finally {
      end();
    }
  }

  #hasRoom(caller: string): boolean {
    const { atOnce, atOncePerCaller = atOnce } = this.#bounds;
    return this.#atWork < atOnce && (this.#running.get(caller) ?? 0) < atOncePerCaller;
  }

  #begin(caller: string): void {
    this.#atWork += 1;
    this.#running.set(caller, (this.#running.get(caller) ?? 0) + 1);
  }

  #end(caller: string): void {
    this.#atWork -= 1;
    const left = (this.#running.get(caller) ?? 1) - 1;
    if (left > 0) this.#running.set(caller, left);
    else this.#running.delete(caller);
  }

  #wait(caller: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const { waitSeconds } = this.#bounds;
    const timer = waitSeconds === undefined ? undefined : setTimeout(() => waiter.refuse(), waitSeconds * 1000);
    const waiter: Waiter = {
      admit: () => {
        clearTimeout(timer);
        this.#begin(caller);
        resolve();
      },
      refuse: () => {
        clearTimeout(timer);
        this.#leave(caller, waiter);
        reject(problemWithRetry('SERVICE_UNAVAILABLE', RETRY_SECONDS));
      },
    };
    this.#lines.set(caller, [...(this.#lines.get(caller) ?? []), waiter]);
    this.#waiting += 1;
    if (this.#waiting > this.#bounds.waiting) this.#longestLine()?.at(-1)?.refuse();
    else this.#admitNext();
    return promise;
  }

  #longestLine(): Waiter[] | undefined {
    return [...this.#lines.values()].toSorted((one, other) => other.length - one.length)[0];
  }

  #leave(caller: string, waiter: Waiter): void {
    const line = (this.#lines.get(caller) ?? []).filter((other) => other !== waiter);
    this.#waiting -= 1;
    if (line.length > 0) this.#lines.set(caller, line);
    else this.#lines.delete(caller);
  }

  /** Round robin: the caller that gets the turn moves to the end. */
  #admitNext(): void {
    for (const [caller, [first, ...others]] of this.#lines) {
      if (!first || !this.#hasRoom(caller)) continue;
      this.#lines.delete(caller);
      if (others.length > 0) this.#lines.set(caller, others);
      this.#waiting -= 1;
      first.admit();
      return;
    }
  }
}
