import type { Session } from './session.ts';

/** What the application remembers of sessions that Latchkey has ended. All servers of an application need the same one. */
export type EndedSessions = {
  /**
   * Remembers a name for this time.
   * @returns false if it is remembered already. Of two calls at once one returns true
   */
  add: (name: string, seconds: number) => Promise<boolean>;
  has: (name: string) => Promise<boolean>;
};

/** Longer than any cookie works without a renewal (an hour, the longest life of an access token). Latchkey renews no session that has ended. */
const REMEMBERED_SECONDS = 86_400;

const PLACE = Symbol.for('@latchkey/next ended sessions');

/** In the memory of this process. Next.js bundles `proxy` and pages apart, so that each has modules of its own: they share this. */
export function endedInMemory(): EndedSessions {
  /** Until when each is remembered, in milliseconds since the epoch. */
  const names: Map<string, number> = Reflect.get(globalThis, PLACE) ?? new Map();
  Reflect.set(globalThis, PLACE, names);
  const has = (name: string) => (names.get(name) ?? 0) > Date.now();
  return {
    add: async (name, seconds) => {
      if (has(name)) return false;
      for (const [old, until] of names) if (until <= Date.now()) names.delete(old);
      names.set(name, Date.now() + seconds * 1000);
      return true;
    },
    has: async (name) => has(name),
  };
}

const nameOf = (sid: string): string => `sid ${sid}`;

/** @returns whether Latchkey has said that it ended the session */
export async function hasEnded(ended: EndedSessions, { sid }: Session): Promise<boolean> {
  return sid !== null && ended.has(nameOf(sid));
}

/** @returns false for a token that was received before */
export async function end(ended: EndedSessions, { sid, jti, exp }: { sid: string; jti: string; exp: number }) {
  const seconds = Math.max(1, exp - Math.floor(Date.now() / 1000));
  // With the tolerance of its check.
  if (!(await ended.add(`jti ${jti}`, seconds + CLOCK_TOLERANCE_SECONDS))) return false;
  await ended.add(nameOf(sid), REMEMBERED_SECONDS);
  return true;
}

export const CLOCK_TOLERANCE_SECONDS = 30;
