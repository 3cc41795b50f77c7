import { cookieName, cookieOptions } from '#platform/cookies.ts';
import type { Reply, Request } from '#platform/http.ts';
import { randomSecret } from '#platform/keyring.ts';

/** Longer than the lifetime of any link, in seconds. */
const DAY = 86_400;

/**
 * The name of the cookie with the browser's mark: a secret that shows that a flow is finished in the browser that
 * started it.
 */
function nameFor({ address, server }: Request): string {
  return cookieName(address, server.host.environment, 'mark');
}

/** The mark of the browser that sends a request; undefined if there is none, or an invalid one. */
export function browserOf(request: Request): string | undefined {
  return request.cookies[nameFor(request)];
}

/** The mark for a new flow, which {@link keepMark} stores in the browser. */
export function newMark(request: Request): string {
  return browserOf(request) ?? randomSecret();
}

export function keepMark(request: Request, reply: Reply, mark: string): void {
  // Lax: the return from a provider or a mail is a navigation started by another site.
  reply.setCookie(nameFor(request), mark, { ...cookieOptions(request.address, 'lax'), maxAge: DAY });
}
