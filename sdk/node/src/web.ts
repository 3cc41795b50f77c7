import type { AccessToken, Verifier } from './access-tokens.ts';
import { authorize, type Required } from './authorization.ts';

/**
 * Decides about a Web request: for Hono, Next.js route handlers, Deno and Bun.
 * @returns the token, or the response to send
 */
export async function authorizeRequest(
  verify: Verifier,
  request: Request,
  required: Required = {},
): Promise<{ token: AccessToken } | { refusal: Response }> {
  const { headers: sent, method, url } = request;
  const { pathname: path } = new URL(url);
  const presented = { authorization: sent.get('authorization'), dpop: sent.get('dpop'), method, path };
  const decision = await authorize(verify, presented, required);
  if ('token' in decision) return decision;
  const { status, headers, body } = decision.refusal;
  return { refusal: new Response(JSON.stringify(body), { status, headers }) };
}
