/** The one source of time. Production uses {@link systemClock}; tests hand in one they can set. */
export type Clock = {
  now(): Date;
  /** Does something every so many milliseconds. @returns ends it */
  every(milliseconds: number, work: () => void): () => void;
};

export const systemClock: Clock = {
  now: () => new Date(),
  every: (milliseconds, work) => {
    const timer = setInterval(work, milliseconds);
    return () => clearInterval(timer);
  },
};
