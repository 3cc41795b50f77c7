import { type AccessToken, InvalidTokenError, type Verifier } from './access-tokens.ts';
import { DPOP_ALGORITHMS } from './dpop.ts';

/** What a request must have; all of it. */
export type Required = {
  /** A scope that the application was granted. */
  scope?: string;
  /** A permission of the person. */
  permission?: string;
};

/** What of a request decides: its headers `Authorization` and `DPoP`, its method, and its path as clients see it. */
export type Presented = {
  authorization: string | null | undefined;
  dpop: string | null | undefined;
  method: string;
  path: string;
};

/** The response to a request without a valid token (RFC 6750 §3.1, RFC 9449 §7.1), as a problem document (RFC 9457). */
export type Refusal = { status: 401 | 403; headers: Record<string, string>; body: Record<string, unknown> };

/**
 * Decides about the token of a request.
 * @throws Error if the token could not be checked, for example because Latchkey is away
 */
export async function authorize(
  verify: Verifier,
  { authorization, dpop, method, path }: Presented,
  required: Required = {},
): Promise<{ token: AccessToken } | { refusal: Refusal }> {
  const [, scheme, text] = /^(Bearer|DPoP) +([\w.~+/-]+=*)$/i.exec(authorization ?? '') ?? [];
  if (text === undefined) return { refusal: unauthenticated('Bearer', 'The request has no access token.') };
  const isDpop = scheme?.toLowerCase() === 'dpop';
  let token: AccessToken;
  try {
    token = await verify(text, isDpop ? { proof: dpop, method, path } : undefined);
  } catch (error) {
    if (!(error instanceof InvalidTokenError)) throw error;
    const challenge = isDpop
      ? `DPoP algs="${DPOP_ALGORITHMS.join(' ')}", error="${error.code}"`
      : `Bearer error="${error.code}"`;
    return { refusal: unauthenticated(challenge, error.message) };
  }
  return allows(token, required) ? { token } : { refusal: forbidden(isDpop ? 'DPoP' : 'Bearer', required) };
}

/** True if a token has what is required. */
export function allows({ scopes, permissions }: AccessToken, { scope, permission }: Required): boolean {
  return (
    (scope === undefined || scopes.includes(scope)) && (permission === undefined || permissions.includes(permission))
  );
}

function unauthenticated(challenge: string, detail: string): Refusal {
  return refusal(401, challenge, {
    title: 'Authentication required',
    detail,
    errorCode: 'AUTHENTICATION_REQUIRED',
  });
}

function forbidden(scheme: 'Bearer' | 'DPoP', { scope, permission }: Required): Refusal {
  const challenge = `${scheme} error="insufficient_scope"${scope === undefined ? '' : `, scope="${scope}"`}`;
  return refusal(403, challenge, {
    title: 'Not allowed',
    errorCode: 'AUTHORIZATION_DENIED',
    ...(scope !== undefined && { requiredScope: scope }),
    ...(permission !== undefined && { requiredPermission: permission }),
  });
}

function refusal(status: 401 | 403, challenge: string, body: Record<string, unknown>): Refusal {
  return {
    status,
    headers: { 'content-type': 'application/problem+json', 'www-authenticate': challenge, 'cache-control': 'no-store' },
    body: { type: 'about:blank', status, ...body },
  };
}

const tokens = new WeakMap<object, AccessToken>();

/** Keeps the token of a request for its handlers. */
export function keepToken(request: object, token: AccessToken): void {
  tokens.set(request, token);
}

/** @returns the token of a request that `requireToken` let through @throws Error for any other request */
export function accessTokenOf(request: object): AccessToken {
  const token = tokens.get(request);
  if (!token) throw new Error('The request has no access token: put requireToken before its handler.');
  return token;
}
