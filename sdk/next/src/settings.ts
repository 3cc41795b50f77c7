import { type EndedSessions, endedInMemory } from './ended.ts';

/** What an application says once. Values may be undefined while `next build` reads the module; they are needed at the first request. */
export type Options = {
  /** Where people sign in, such as `https://auth.example.com`. */
  issuer: string | undefined;
  clientId: string | undefined;
  clientSecret: string | undefined;
  /** Encrypts the cookies: 32 random characters or more. */
  cookieSecret: string | undefined;
  /** Where the browser finds this application, such as `https://app.example.com`. */
  origin: string | undefined;
  /** By default `openid profile email`. */
  scope?: string;
  /** The API of yours that access tokens are for. Without it they are for Latchkey's own. */
  resource?: string;
  /** Where the route handlers are; by default `/auth`. */
  path?: string;
  /** Where a failed sign-in leads, with the parameter `error`; by default `/`. */
  errorPath?: string;
  /** Where people are after signing out; the application at Latchkey must know this address. By default `/`. */
  signedOutPath?: string;
  /** Remembers the sessions that Latchkey has ended; by default the memory of this process. */
  endedSessions?: EndedSessions;
};

type Named = 'issuer' | 'clientId' | 'clientSecret' | 'cookieSecret' | 'origin';

export type Settings = Record<Named | 'scope' | 'path' | 'errorPath' | 'signedOutPath', string> & {
  resource: string | undefined;
  endedSessions: EndedSessions;
};

const MIN_SECRET_LENGTH = 32;

/** @throws Error that names the setting that is missing or wrong */
export function settingsOf(options: Options): Settings {
  const given = (name: Named): string => {
    const value = options[name];
    if (!value) throw new Error(`@latchkey/next needs the setting ${name}.`);
    return value;
  };
  const settings = {
    issuer: given('issuer'),
    clientId: given('clientId'),
    clientSecret: given('clientSecret'),
    cookieSecret: given('cookieSecret'),
    origin: new URL(given('origin')).origin,
    scope: options.scope ?? 'openid profile email',
    resource: options.resource,
    path: options.path ?? '/auth',
    errorPath: options.errorPath ?? '/',
    signedOutPath: options.signedOutPath ?? '/',
    endedSessions: options.endedSessions ?? endedInMemory(),
  };
  if (settings.cookieSecret.length < MIN_SECRET_LENGTH)
    throw new Error(`The setting cookieSecret of @latchkey/next has fewer than ${MIN_SECRET_LENGTH} characters.`);
  return settings;
}

/**
 * The address in this application that a caller named, in full: a path such as `/.//evil.example` would lead elsewhere by itself.
 * Anything else, and the addresses of the sign-in itself, become the start page.
 */
export function addressWithin({ origin, path }: Settings, asked: string | null): string {
  const start = `${origin}/`;
  if (!asked?.startsWith('/') || !URL.canParse(asked, origin)) return start;
  const url = new URL(asked, origin);
  if (url.origin !== origin || `${url.pathname}/`.startsWith(`${path}/`)) return start;
  return url.href;
}
