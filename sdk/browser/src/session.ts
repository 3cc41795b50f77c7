import type { Clock } from './clock.ts';

/** What Latchkey says about the person: the claims of userinfo, or those of the ID token. */
export type User = {
  sub: string;
  name?: string;
  email?: string;
  picture?: string;
  org_id?: string;
  org_name?: string;
  [claim: string]: unknown;
};

export type Token = {
  value: string;
  /** In milliseconds since the epoch, by Latchkey's clock. */
  expiresAt: number;
};

/** A token is renewed this long before it expires, so that it does not expire on its way. */
const MARGIN_MS = 10_000;

/** Whether a token lasts long enough for another request. */
export function lasts({ expiresAt }: Token, clock: Clock): boolean {
  return expiresAt - MARGIN_MS > clock.now();
}

/** A signed-in person in this browser. All tabs have the same. */
export type Session = {
  /** New with each sign-in. */
  id: string;
  /** Counts the changes. */
  version: number;
  startedAt: number;
  /** By how much the time at Latchkey is ahead of the device's, in milliseconds. */
  offset: number;
  /** Null for a session of the API. */
  idToken: string | null;
  refreshToken: string | null;
  user: User;
  /** The organization of the sign-in. */
  home: string | null;
  /** The organization that is worked in. */
  organization: string | null;
  /** Access tokens by organization and resource. */
  tokens: Record<string, Token>;
};

export function isSession(value: unknown): value is Session {
  const { id, version, user, tokens } = Object(value);
  return [typeof id, typeof version, typeof user, typeof tokens].join() === 'string,number,object,object';
}

/** Whether a session that another tab sends replaces the one here: a later sign-in, or a later state of the same. */
export function isNewer(sent: Session, own: Session | null): boolean {
  if (!own) return true;
  return sent.id === own.id ? sent.version > own.version : sent.startedAt > own.startedAt;
}
