/** HTTP dates have no fractions: on average half a second is missing. */
const HALF_SECOND = 500;

/**
 * The time at Latchkey, learned from its responses: the clock of a device may be wrong by hours. Between responses it goes on
 * with the device. If somebody sets that clock back, the time since the page was opened counts.
 */
export class Clock {
  #offset = 0;
  #sinceOpened = Number.NEGATIVE_INFINITY;

  /** Milliseconds since the epoch. */
  now(): number {
    return Math.max(Date.now() + this.#offset, performance.now() + this.#sinceOpened);
  }

  /** By how much the time at Latchkey is ahead of the device's, in milliseconds. */
  get offset(): number {
    return this.#offset;
  }

  learn(response: Response): void {
    const date = Date.parse(response.headers.get('date') ?? '');
    if (!Number.isNaN(date)) this.take(date + HALF_SECOND - Date.now());
  }

  /** Takes over what another page of this device has learned. */
  take(offset: number): void {
    this.#offset = offset;
    this.#sinceOpened = Date.now() + offset - performance.now();
  }
}
