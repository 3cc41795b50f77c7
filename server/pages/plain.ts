import { cookieName, cookieOptions } from '#platform/cookies.ts';
import type { Reply, Request } from '#platform/http.ts';
import type { Voice } from './layout.ts';

/** The parameter of an address of ours that takes the style sheet of the project away, and brings it back. */
const PARAMETER = 'custom_css';

/**
 * A voice without the style sheet of the project, where somebody has asked for that with `?custom_css=off`. The browser remembers
 * it until it is closed, or until `?custom_css=on`.
 */
export function plainIfAsked(request: Request, reply: Reply, voice: Voice): Voice {
  const { address, server } = request;
  const name = cookieName(address, server.host.environment, 'plain');
  const wish: unknown = Object(request.query)[PARAMETER];
  const options = cookieOptions(address, 'lax');
  if (wish === 'off') reply.setCookie(name, '1', options);
  if (wish === 'on') reply.clearCookie(name, options);
  const isPlain = wish === 'off' || (wish !== 'on' && request.cookies[name] !== undefined);
  return isPlain ? { ...voice, brand: { ...voice.brand, sheet: '' } } : voice;
}
