/** The one source of time. Production uses {@link systemClock}; tests hand in one they can set. */
export type Clock = { now(): Date };

export const systemClock: Clock = { now: () => new Date() };
