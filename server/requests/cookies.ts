import { Type } from 'typebox';
import { ownOriginsOf } from '#applications';
import { cookieName, cookieOptions } from '#platform/cookies.ts';
import type { Environment, Scope } from '#platform/ctx.ts';
import type { Reply, Request } from '#platform/http.ts';
import { problem } from '#platform/problem.ts';
import { SessionResponse } from '#sessions';

/** A session response whose tokens are in cookies, out of reach of scripts. */
const { access_token: _access, refresh_token: _refresh, token_type: _type, ...rest } = SessionResponse.properties;
export const CookieSession = Type.Object(rest, { title: 'CookieSession' });

/** The token of a kind from the request's cookies. */
export function tokenCookie(
  request: Request,
  environment: Environment,
  kind: 'access' | 'refresh',
): string | undefined {
  return request.cookies[cookieName(request.address, environment, kind)];
}

/** SameSite=Strict: only pages of the same site use the session. */
function options({ address }: Request) {
  return cookieOptions(address, 'strict');
}

/** Responds with the session; its tokens are in cookies if the request asked for that. */
export async function sendSession<Body extends object>(
  request: Request,
  reply: Reply,
  response: Body,
  { scope, cookies }: { scope: Scope; cookies: boolean | undefined },
): Promise<Body> {
  if (!cookies || !isSession(response)) return response;
  await requireOrigin(request, scope);
  return reply.send(setSessionCookies(request, reply, response));
}

/**
 * Puts a session's tokens into cookies.
 * @returns the rest of the response
 */
export function setSessionCookies(request: Request, reply: Reply, response: SessionResponse) {
  const { environment } = response.session;
  const { access_token, refresh_token, token_type: _bearer, ...shown } = response;
  reply.setCookie(cookieName(request.address, environment, 'access'), access_token, {
    ...options(request),
    maxAge: response.expires_in,
  });
  reply.setCookie(cookieName(request.address, environment, 'refresh'), refresh_token, {
    ...options(request),
    maxAge: response.refresh_expires_in,
  });
  return shown;
}

function isSession(response: object): response is SessionResponse {
  return 'access_token' in response;
}

export function clearSession(request: Request, reply: Reply, environment: Environment): void {
  for (const kind of ['access', 'refresh'] as const)
    reply.clearCookie(cookieName(request.address, environment, kind), options(request));
}

/**
 * The browser attaches cookies whichever page sends the request, so `Origin` must be that of one of the project's own
 * applications, or of the auth host itself (ASVS 3.5.1).
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
    `Cookies are accepted only from origins of the project's applications. Received the origin ${origin ?? '(none)'}; add it to the origins of an application.`,
  );
}
