import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Verifier } from './access-tokens.ts';
import { authorize, keepToken, type Required } from './authorization.ts';
import { presentedBy } from './presented.ts';

export { accessTokenOf } from './authorization.ts';

/** Middleware for Express: lets requests with a valid access token through and responds to all others. */
export function requireToken(verify: Verifier, required: Required = {}) {
  return (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void): void => {
    authorize(verify, presentedBy(request), required).then((decision) => {
      if ('refusal' in decision) {
        const { status, headers, body } = decision.refusal;
        response.writeHead(status, headers).end(JSON.stringify(body));
        return;
      }
      keepToken(request, decision.token);
      next();
    }, next);
  };
}
