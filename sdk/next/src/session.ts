import { type Change, type Cookies, joined, nameOf, partsOf, seal, unseal } from './cookies.ts';
import type { Settings } from './settings.ts';

/** What Latchkey says about the person: the claims of userinfo, or of the ID token where the application names a `resource`. */
export type User = {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
  picture?: string;
  roles?: string[];
  [claim: string]: unknown;
};

/** What the cookie holds. */
export type Session = {
  user: User;
  accessToken: string;
  /** When the access token ends, in seconds since the epoch. */
  expiresAt: number;
  refreshToken: string | null;
  idToken: string;
  /** The `sid` of the session at Latchkey, which back-channel logouts name. */
  sid: string | null;
};

/** Latchkey ends sessions by its own rules; the cookie only has to outlast them. */
const MAX_AGE = 400 * 86_400;

const cookieNameOf = (settings: Settings): string => nameOf(settings, 'latchkey-session');

export const isLive = ({ expiresAt }: Session): boolean => expiresAt > Date.now() / 1000;

/** @returns null without a session, or with a cookie that this application did not make */
export async function readSession(settings: Settings, cookies: Cookies): Promise<Session | null> {
  const sealed = joined(cookies, cookieNameOf(settings));
  return sealed === '' ? null : unseal<Session>(settings, 'session', sealed);
}

/** @throws SessionTooLarge */
export async function changesFor(settings: Settings, cookies: Cookies, session: Session | null): Promise<Change[]> {
  const sealed = session && (await seal(settings, 'session', session, MAX_AGE));
  return partsOf(cookies, cookieNameOf(settings), sealed, MAX_AGE);
}
