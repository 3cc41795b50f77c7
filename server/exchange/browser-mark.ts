import { cookieName, cookieOptions } from '#platform/cookies.ts';
import type { Reply, Request } from '#platform/http.ts';
import { randomSecret } from '#platform/keyring.ts';

/** Longer than any link lives. */
const DAY = 86_400;

/** A secret that only one browser has, so that whoever comes back with a proof is told from somebody else. */
function nameFor({ address, server }: Request): string {
  return cookieName(address, server.host.environment, 'mark');
}

/** The mark of the browser that sends a request; undefined where it has none, or is none. */
export function browserOf(request: Request): string | undefined {
  return request.cookies[nameFor(request)];
}

/** The mark for what begins now, which {@link keepMark} leaves in the browser. */
export function newMark(request: Request): string {
  return browserOf(request) ?? randomSecret();
}

export function keepMark(request: Request, reply: Reply, mark: string): void {
  // Lax: the way back from a provider, or from a mail, is a navigation that somebody else began.
  reply.setCookie(nameFor(request), mark, { ...cookieOptions(request.address, 'lax'), maxAge: DAY });
}
