import type { Reply, Request } from '#platform/http.ts';
import { randomSecret } from '#platform/keyring.ts';

/** Longer than any link lives. */
const DAY = 86_400;

/**
 * A secret that only one browser has, so that whoever comes back with a proof is told from somebody else. `__Host-` where the
 * address is https, so that no other host of the domain can plant it; the ports of one machine share cookies.
 */
function cookieOf({ address, server }: Request): { name: string; secure: boolean } {
  const secure = address.url.startsWith('https:');
  return { name: `${secure ? '__Host-' : ''}latchkey-${server.host.environment}-mark`, secure };
}

/** The mark of the browser that sends a request; undefined where it has none, or is none. */
export function browserOf(request: Request): string | undefined {
  return request.cookies[cookieOf(request).name];
}

/** The mark for what begins now, which {@link keepMark} leaves in the browser. */
export function newMark(request: Request): string {
  return browserOf(request) ?? randomSecret();
}

export function keepMark(request: Request, reply: Reply, mark: string): void {
  const { name, secure } = cookieOf(request);
  // Lax: the way back from a provider, or from a mail, is a navigation that somebody else began.
  reply.setCookie(name, mark, { path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge: DAY });
}
