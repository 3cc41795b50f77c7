import type { System } from '#platform/system.ts';
import { type Settled, settleDeliveries } from './queue.ts';

type Waiting = { settled: Settled; done: () => void; failed: (error: unknown) => void };

const MAX_AT_ONCE = 500;

/** Records the outcomes of attempts in batches: each statement takes what arrived while the previous one ran. */
export class Recorder {
  readonly #system: System;
  #waiting: Waiting[] = [];
  #writing = false;

  constructor(system: System) {
    this.#system = system;
  }

  /** Resolves when the outcome is recorded. */
  record(settled: Settled): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ settled, done: resolve, failed: reject });
    if (!this.#writing) this.#write().catch(() => undefined);
    return promise;
  }

  async #write(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_AT_ONCE);
      try {
        // biome-ignore lint/performance/noAwaitInLoops: sequential, so that batches form
        await settleDeliveries(
          this.#system,
          batch.map(({ settled }) => settled),
        );
        for (const { done } of batch) done();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    this.#writing = false;
  }
}
