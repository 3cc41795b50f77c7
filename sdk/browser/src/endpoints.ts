import type { Clock } from './clock.ts';
import type { Prover } from './dpop.ts';
import { AuthError } from './errors.ts';

/** A request that hangs would hold up all tabs. */
const TIMEOUT_MS = 15_000;

/** What requests to Latchkey need. */
export type Issuer = { url: string; clientId: string; clock: Clock; prover: Prover | null };

export type TokenResponse = {
  access_token: string;
  expires_in: number;
  id_token?: string;
  refresh_token?: string;
};

/**
 * A request to an endpoint for clients: token, revocation.
 * @throws AuthError offline, unavailable, refused
 */
export async function postForm(
  issuer: Issuer,
  path: string,
  form: Record<string, string | undefined>,
): Promise<unknown> {
  const { url, clientId, prover } = issuer;
  const given = Object.entries({ client_id: clientId, ...form }).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  const target = url + path;
  const attempt = async () =>
    send(issuer, target, {
      method: 'POST',
      body: new URLSearchParams(given),
      ...(prover && { headers: { dpop: await prover.proof('POST', target) } }),
    });
  let response = await attempt();
  let body = await contentOf(response);
  // The nonce, and the time for the proof, are known only now.
  if (prover && ['use_dpop_nonce', 'invalid_dpop_proof'].includes(body.error)) {
    response = await attempt();
    body = await contentOf(response);
  }
  if (response.ok) return body;
  throw refusalOf(response, body);
}

/** @throws AuthError offline, unavailable, refused */
export async function getUser(issuer: Issuer, token: string): Promise<Record<string, unknown>> {
  const target = `${issuer.url}/connect/userinfo`;
  const attempt = async () =>
    send(issuer, target, { headers: await authorizationOf(issuer.prover, { method: 'GET', url: target, token }) });
  let response = await attempt();
  if (response.status === 401 && issuer.prover) response = await attempt();
  const body = await contentOf(response);
  if (response.ok) return body;
  throw refusalOf(response, body);
}

/** The headers that show a token, and where it is bound the key. */
export async function authorizationOf(
  prover: Prover | null,
  { method, url, token }: { method: string; url: string; token: string },
): Promise<Record<string, string>> {
  if (!prover) return { authorization: `Bearer ${token}` };
  return { authorization: `DPoP ${token}`, dpop: await prover.proof(method, url, token) };
}

/** @throws AuthError offline */
export async function send({ clock, prover }: Issuer, url: string, init: RequestInit): Promise<Response> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { credentials: 'omit', ...init, signal, cache: 'no-store', redirect: 'error' });
    clock.learn(response);
    prover?.learn(response);
    return response;
  } catch (cause) {
    throw new AuthError('offline', 'Latchkey cannot be reached.', { cause });
  }
}

export async function contentOf(response: Response) {
  return Object(await response.json().catch(() => null));
}

type Refusal = { error?: unknown; error_description?: unknown; errorCode?: unknown; detail?: unknown };

export function refusalOf(
  response: Response,
  { error, error_description: description, errorCode, detail }: Refusal,
): AuthError {
  const { status } = response;
  const isTemporary = status >= 500 || status === 429 || status === 408;
  return new AuthError(
    isTemporary ? 'unavailable' : 'refused',
    `Latchkey refused the request (${status}): ${String(description ?? error ?? detail ?? '')}`,
    {
      oauthError: typeof error === 'string' ? error : undefined,
      errorCode: typeof errorCode === 'string' ? errorCode : undefined,
      retryAfter: Number(response.headers.get('retry-after')) || undefined,
    },
  );
}

/** @throws AuthError refused */
export function tokensOf(body: unknown): TokenResponse {
  const { access_token, expires_in, id_token, refresh_token } = Object(body);
  if (typeof access_token !== 'string' || typeof expires_in !== 'number')
    throw new AuthError('refused', 'The response has no access token.');
  return { access_token, expires_in, id_token, refresh_token };
}
