import { type CanActivate, type ExecutionContext, HttpException } from '@nestjs/common';
import type { Verifier } from './access-tokens.ts';
import { authorize, keepToken, type Required } from './authorization.ts';
import { type NodeRequest, presentedBy } from './presented.ts';

export { accessTokenOf } from './authorization.ts';

/** Express and Fastify both have it. */
type Response = { header: (name: string, value: string) => unknown };

/** A guard for NestJS, over Express and Fastify: lets requests with a valid access token through and responds to all others. */
export function requireToken(verify: Verifier, required: Required = {}): CanActivate {
  return {
    async canActivate(context: ExecutionContext): Promise<boolean> {
      const http = context.switchToHttp();
      const request = http.getRequest<NodeRequest>();
      const decision = await authorize(verify, presentedBy(request), required);
      if ('refusal' in decision) {
        const { status, headers, body } = decision.refusal;
        const response = http.getResponse<Response>();
        for (const [name, value] of Object.entries(headers)) response.header(name, value);
        throw new HttpException(body, status);
      }
      keepToken(request, decision.token);
      return true;
    },
  };
}
