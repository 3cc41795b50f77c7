import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { ownOriginsOf } from '#applications';
import type { Environment, Scope } from '#platform/ctx.ts';
import type { Address, Request } from '#platform/http.ts';
import { problem } from '#platform/problem.ts';
import { SessionAnswer } from '#sessions';

/** A session answer whose tokens are in cookies, out of reach of scripts. */
const { access_token: _access, refresh_token: _refresh, token_type: _type, ...rest } = SessionAnswer.properties;
export const CookieSession = Type.Object(rest);

/**
 * `__Host-` where the address is https: bound to the host, secure, for the whole path (RFC 6265bis §4.1.3.2). The name carries
 * the environment, because the ports of one machine share cookies.
 */
function nameOf({ address }: Request, environment: Environment, kind: 'access' | 'refresh'): string {
  return `${isSecure(address) ? '__Host-' : ''}latchkey-${environment}-${kind}`;
}

function isSecure({ url }: Address): boolean {
  return url.startsWith('https:');
}

/** The token of a kind that a browser brought. */
export function tokenCookie(
  request: Request,
  environment: Environment,
  kind: 'access' | 'refresh',
): string | undefined {
  return request.cookies[nameOf(request, environment, kind)];
}

function options({ address }: Request) {
  return { path: '/', httpOnly: true, secure: isSecure(address), sameSite: 'strict' } as const;
}

/** Answers with the session; its tokens in cookies where the request asked so. */
export async function sendSession<Answer extends object>(
  request: Request,
  reply: FastifyReply,
  answer: Answer,
  { scope, cookies }: { scope: Scope; cookies: boolean | undefined },
): Promise<Answer> {
  if (!cookies || !isSession(answer)) return answer;
  await requireOrigin(request, scope);
  return reply.send(setSessionCookies(request, reply, answer));
}

/** Puts a session's tokens into cookies. @returns the rest of the answer */
export function setSessionCookies(request: Request, reply: FastifyReply, answer: SessionAnswer) {
  const { environment } = answer.session;
  const { access_token, refresh_token, token_type: _bearer, ...shown } = answer;
  reply.setCookie(nameOf(request, environment, 'access'), access_token, {
    ...options(request),
    maxAge: answer.expires_in,
  });
  reply.setCookie(nameOf(request, environment, 'refresh'), refresh_token, {
    ...options(request),
    maxAge: answer.refresh_expires_in,
  });
  return shown;
}

function isSession(answer: object): answer is SessionAnswer {
  return 'access_token' in answer;
}

export function clearSession(request: Request, reply: FastifyReply, environment: Environment): void {
  for (const kind of ['access', 'refresh'] as const)
    reply.clearCookie(nameOf(request, environment, kind), options(request));
}

/**
 * Cookies are sent by the browser, not by the page, so a page has to say who it is: `Origin` must be one of the project's
 * own applications, or the auth host itself (ASVS 3.5.1).
 * @throws Problem ORIGIN_NOT_ALLOWED
 */
export async function requireOrigin(request: Request, scope: Scope): Promise<void> {
  const { system } = request.server;
  const { origin } = request.headers;
  if (origin === request.address.url) return;
  const allowed = await ownOriginsOf({ system, scope });
  if (origin !== undefined && allowed.includes(origin)) return;
  throw problem(
    'ORIGIN_NOT_ALLOWED',
    `Cookies are for pages of the project's own applications. Received the origin ${origin ?? '(none)'}; add it to the origins of an application.`,
  );
}
