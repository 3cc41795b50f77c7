import type { Prover } from './dpop.ts';
import { authorizationOf } from './endpoints.ts';
import { AuthError, type StepUp } from './errors.ts';

export type Caller = {
  prover: Prover | null;
  origins: readonly string[];
  /**
   * Empty if cookies carry the session.
   * @param refused the token that an API refused
   */
  token: (refused?: string) => Promise<string>;
};

/**
 * A request with an access token. If the API refuses the token, it is renewed and the request sent once more.
 * @throws AuthError step_up_required if the API asks for a fresh or stronger proof, and what `token` throws; TypeError for an
 * origin that is not among those of APIs
 */
export async function callApi({ prover, origins, token }: Caller, request: Request): Promise<Response> {
  const { origin } = new URL(request.url);
  if (!origins.includes(origin)) throw new TypeError(`${origin} is not in apiOrigins, so it gets no token.`);
  const attempt = async (value: string) => {
    if (value === '') return fetch(new Request(request.clone(), { credentials: 'include' }));
    const sent = new Request(request.clone());
    const headers = await authorizationOf(prover, { method: request.method, url: request.url, token: value });
    for (const [name, text] of Object.entries(headers)) sent.headers.set(name, text);
    const response = await fetch(sent);
    prover?.learn(response);
    return response;
  };
  const first = await token();
  let response = await attempt(first);
  if (response.status === 401 && /use_dpop_nonce/.test(response.headers.get('www-authenticate') ?? ''))
    response = await attempt(first);
  if (response.status !== 401) return response;
  const stepUp = await stepUpOf(response);
  if (stepUp) throw new AuthError('step_up_required', 'The API asks for another proof.', { stepUp });
  return attempt(await token(first));
}

/** Latchkey's own problem document, or the challenge of RFC 9470. */
async function stepUpOf(response: Response): Promise<StepUp | null> {
  const challenge = response.headers.get('www-authenticate') ?? '';
  if (/error="?insufficient_user_authentication/.test(challenge)) {
    const acr = /acr_values="?([^",\s]+)/.exec(challenge)?.[1];
    const maxAge = /max_age="?(\d+)/.exec(challenge)?.[1];
    return { ...(acr !== undefined && { acr }), ...(maxAge !== undefined && { maxAge: Number(maxAge) }) };
  }
  const { errorCode, acr, ownProof } = Object(
    await response
      .clone()
      .json()
      .catch(() => null),
  );
  if (errorCode !== 'REAUTHENTICATION_REQUIRED') return null;
  return { maxAge: 0, ...(typeof acr === 'string' && { acr }), ...(ownProof === true && { ownProof }) };
}
