import { hkdfSync } from 'node:crypto';
import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import type { Settings } from './settings.ts';

/** The cookies of a request, by name. */
export type Cookies = ReadonlyMap<string, string>;

/** A cookie to set, or to remove where the value is null. */
export type Change = { name: string; value: string | null; maxAge: number };

/** What a cookie is for: one cannot stand for another (RFC 8725 §2.8). */
type Purpose = 'session' | 'sign-in';

/** A browser keeps at most 4,096 bytes of one cookie, with its name and attributes (RFC 6265 §6.1). */
const MAX_PART = 3_600;
/** Node.js accepts 16 kB of headers in all. */
const MAX_PARTS = 3;

/** The person has more claims than fit into cookies. */
export class SessionTooLarge extends Error {
  constructor(length: number) {
    super(
      `The session has ${length} characters, and cookies of an application hold ${MAX_PART * MAX_PARTS}: request fewer scopes.`,
    );
  }
}

export function cookiesOf(header: string | null): Cookies {
  return new Map(
    (header ?? '').split(/;\s*/).map((pair): [string, string] => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

/** `__Host-` keeps other subdomains from setting the cookie (RFC 6265bis §4.1.3.2). Browsers accept it with https only. */
export function nameOf({ origin }: Settings, name: string): string {
  return origin.startsWith('https:') ? `__Host-${name}` : name;
}

export function setCookieOf({ origin }: Settings, { name, value, maxAge }: Change): string {
  const secure = origin.startsWith('https:') ? '; Secure' : '';
  return `${name}=${value ?? ''}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${value === null ? 0 : maxAge}${secure}`;
}

/** The header `Cookie` as the browser would send it after the changes. */
export function cookieHeaderOf(cookies: Cookies, changes: readonly Change[]): string {
  const changed = new Map(cookies);
  for (const { name, value } of changes) {
    if (value === null) changed.delete(name);
    else changed.set(name, value);
  }
  return [...changed].map(([name, value]) => `${name}=${value}`).join('; ');
}

function keyOf({ cookieSecret }: Settings): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', cookieSecret, '', '@latchkey/next cookies', 32));
}

/** @param maxAge in seconds */
export async function seal(settings: Settings, purpose: Purpose, content: object, maxAge: number): Promise<string> {
  return new EncryptJWT({ content })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setIssuer(settings.clientId)
    .setAudience(purpose)
    .setExpirationTime(`${maxAge} seconds`)
    .encrypt(keyOf(settings));
}

/** @returns null for anything but what {@link seal} made, for this application and purpose, and in time */
export async function unseal<T>(settings: Settings, purpose: Purpose, sealed: string): Promise<T | null> {
  try {
    const { payload } = await jwtDecrypt<{ content: T }>(sealed, keyOf(settings), {
      issuer: settings.clientId,
      audience: purpose,
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
    });
    return payload.content;
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

/**
 * Divides a value over as many cookies as it needs.
 * @param cookies those of the request: parts of a longer value before are removed
 * @throws SessionTooLarge
 */
export function partsOf(cookies: Cookies, name: string, value: string | null, maxAge: number): Change[] {
  if ((value?.length ?? 0) > MAX_PART * MAX_PARTS) throw new SessionTooLarge(value?.length ?? 0);
  return Array.from({ length: MAX_PARTS }, (_, index): Change => {
    const part = value?.slice(index * MAX_PART, (index + 1) * MAX_PART);
    return { name: `${name}.${index}`, value: part || null, maxAge };
  }).filter((change) => change.value !== null || cookies.has(change.name));
}

/** What {@link partsOf} divided. */
export function joined(cookies: Cookies, name: string): string {
  return Array.from({ length: MAX_PARTS }, (_, index) => cookies.get(`${name}.${index}`) ?? '').join('');
}
