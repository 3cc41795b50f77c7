import { type Change, type Cookies, SessionTooLarge } from './cookies.ts';
import { hasEnded } from './ended.ts';
import type { Provider } from './provider.ts';
import { changesFor, isLive, readSession, type Session } from './session.ts';
import type { Settings } from './settings.ts';

/** An access token is replaced this long before it ends, so that it lasts for the request. */
const EARLY_SECONDS = 60;

type Renew = Provider['renew'];

/** Requests with the same refresh token at the same moment share one renewal; Latchkey answers other processes alike, for ten seconds. */
export function shared(renew: Renew): Renew {
  const running = new Map<string, Promise<Session | null>>();
  return (session) => {
    const { refreshToken } = session;
    const renewal = running.get(refreshToken) ?? renew(session).finally(() => running.delete(refreshToken));
    running.set(refreshToken, renewal);
    return renewal;
  };
}

/**
 * Renews the session of a request that is about to end.
 * @returns the cookies to change. A session that Latchkey has ended is removed; where Latchkey cannot be reached, it stays.
 */
export async function renewalOf(settings: Settings, renew: Renew, cookies: Cookies): Promise<Change[]> {
  const session = await readSession(settings, cookies);
  if (!session) return [];
  if (await hasEnded(settings.endedSessions, session)) return changesFor(settings, cookies, null);
  if (session.expiresAt - EARLY_SECONDS > Date.now() / 1000) return [];
  const { refreshToken } = session;
  if (refreshToken === null) return isLive(session) ? [] : changesFor(settings, cookies, null);
  try {
    return await changesFor(settings, cookies, await renew({ ...session, refreshToken }));
  } catch (error) {
    console.error('The session could not be renewed:', error);
    return error instanceof SessionTooLarge ? changesFor(settings, cookies, null) : [];
  }
}
