import type { Verifier } from './access-tokens.ts';
import { authorize, keepToken, type Required } from './authorization.ts';
import { type NodeRequest, presentedBy } from './presented.ts';

export { accessTokenOf } from './authorization.ts';

type Reply = {
  code: (status: number) => Reply;
  headers: (values: Record<string, string>) => Reply;
  send: (body: string) => Reply;
};

/** An `onRequest` hook for Fastify: lets requests with a valid access token through and responds to all others. */
export function requireToken(verify: Verifier, required: Required = {}) {
  return async (request: NodeRequest, reply: Reply): Promise<void> => {
    const decision = await authorize(verify, presentedBy(request), required);
    if ('token' in decision) keepToken(request, decision.token);
    else {
      const { status, headers, body } = decision.refusal;
      reply.code(status).headers(headers).send(JSON.stringify(body));
    }
  };
}
