/** The only source of time. Production uses {@link systemClock}; tests pass a clock they can set. */
export type Clock = {
  now(): Date;
  /**
   * Runs `work` at a fixed interval.
   * @returns stops it
   */
  every(milliseconds: number, work: () => void): () => void;
};

export const systemClock: Clock = {
  now: () => new Date(),
  every: (milliseconds, work) => {
    const timer = setInterval(work, milliseconds);
    return () => clearInterval(timer);
  },
};
