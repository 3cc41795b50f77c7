import type { AccessToken, Verifier } from './access-tokens.ts';
import { keepToken, type Required, accessTokenOf as tokenOf } from './authorization.ts';
import { authorizeRequest } from './web.ts';

type Context = { req: { raw: Request } };

/** Middleware for Hono: lets requests with a valid access token through and responds to all others. */
export function requireToken(verify: Verifier, required: Required = {}) {
  return async (context: Context, next: () => Promise<void>): Promise<Response | undefined> => {
    const decision = await authorizeRequest(verify, context.req.raw, required);
    if ('refusal' in decision) return decision.refusal;
    keepToken(context.req.raw, decision.token);
    await next();
    return undefined;
  };
}

/** @returns the token of a request that `requireToken` let through @throws Error for any other request */
export function accessTokenOf(context: Context): AccessToken {
  return tokenOf(context.req.raw);
}
