/** What names and binds a cookie: the public address of the host that sets it. */
type CookieHost = { url: string };

function isSecure({ url }: CookieHost): boolean {
  return url.startsWith('https:');
}

/**
 * The name of a cookie of ours. On https it begins with `__Host-`, so a browser takes it only from this very host, by https and
 * for every path: a neighbouring host of the same domain can not plant one (RFC 6265bis §4.1.3.2; ASVS 3.3.3). What the path
 * would tell apart, the name has to: the environment, because the ports of one machine share cookies, and what else `parts` say.
 */
export function cookieName(host: CookieHost, ...parts: readonly (string | null)[]): string {
  return `${isSecure(host) ? '__Host-' : ''}latchkey-${parts.filter((part) => part !== null).join('-')}`;
}

/** The attributes that a `__Host-` name asks for: the whole path, no domain, and secure; out of reach of scripts (ASVS 3.3.4). */
export function cookieOptions<SameSite extends 'lax' | 'strict'>(host: CookieHost, sameSite: SameSite) {
  return { path: '/', httpOnly: true, secure: isSecure(host), sameSite } as const;
}

/** How many sign-ins a browser can have begun at the same time; their cookies are sent with every request. */
const MAX_BEGUN = 5;

/**
 * The cookies of earlier sign-ins that make room for another one. Browsers send what they got first first (RFC 6265bis §5.8.3).
 * @param prefix what the names of the kind have in common; the rest of a name says which sign-in it is of
 * @param own the name about to be set
 */
export function surplusCookies(header: string | undefined, prefix: string, own: string): string[] {
  const names = (header ?? '').split(';').map((pair) => pair.split('=', 1)[0]?.trim() ?? '');
  const others = names.filter((name) => name.startsWith(prefix) && !name.endsWith('.sig') && name !== own);
  return others.slice(0, Math.max(0, others.length - (MAX_BEGUN - 1)));
}
