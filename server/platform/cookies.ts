/** The public address of the host that sets a cookie. */
type CookieHost = { url: string };

function isSecure({ url }: CookieHost): boolean {
  return url.startsWith('https:');
}

/**
 * The name of a cookie of Latchkey. On https it begins with `__Host-`, so a browser accepts it only from this host,
 * over https and for every path: another host of the same domain cannot plant it (RFC 6265bis §4.1.3.2; ASVS 3.3.3).
 * The name includes the environment, because ports of one machine share cookies, and `parts` to distinguish cookies
 * that a path would otherwise separate.
 */
export function cookieName(host: CookieHost, ...parts: readonly (string | null)[]): string {
  return `${isSecure(host) ? '__Host-' : ''}latchkey-${parts.filter((part) => part !== null).join('-')}`;
}

/** The attributes that a `__Host-` name requires (every path, no domain, secure), and HttpOnly (ASVS 3.3.4). */
export function cookieOptions<SameSite extends 'lax' | 'strict'>(host: CookieHost, sameSite: SameSite) {
  return { path: '/', httpOnly: true, secure: isSecure(host), sameSite } as const;
}

/**
 * The attributes of a cookie of pages in a frame of another site: it belongs to this host in frames of that site alone
 * (`Partitioned`, CHIPS). Browsers accept them on https only; on http the frame must be of the same site.
 */
export function framedCookieOptions(host: CookieHost) {
  const partitioned = isSecure(host);
  return { ...cookieOptions(host, 'lax'), sameSite: partitioned ? ('none' as const) : ('lax' as const), partitioned };
}

/** How many sign-ins one browser can have in progress. The limit exists because every request carries their cookies. */
const MAX_PENDING_SIGN_INS = 5;

/**
 * The cookies of earlier sign-ins to delete so that a new one fits. Browsers send the oldest cookies first
 * (RFC 6265bis §5.8.3).
 * @param prefix the common prefix of the cookie names; the rest identifies the sign-in
 * @param own the name of the cookie about to be set
 */
export function surplusCookies(header: string | undefined, prefix: string, own: string): string[] {
  const names = (header ?? '').split(';').map((pair) => pair.split('=', 1)[0]?.trim() ?? '');
  const others = names.filter((name) => name.startsWith(prefix) && !name.endsWith('.sig') && name !== own);
  return others.slice(0, Math.max(0, others.length - (MAX_PENDING_SIGN_INS - 1)));
}
