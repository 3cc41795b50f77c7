import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { problemResponses } from '#platform/problem.ts';
import { SessionAnswer } from '#sessions';
import { verifyEmail } from './email-verification.ts';
import { anonymousCtx, scopeFields } from './scope.ts';
import { resendCode } from './verifications.ts';

const FlowId = IdSchema('flw');

export const emailVerificationRoutes: Routes = (app) => {
  app.post(
    '/v1/auth/email/verify',
    {
      config: { permission: 'public' },
      schema: {
        summary: 'Verify an email address',
        body: Type.Object(
          { flowId: FlowId, code: Type.String({ pattern: '^[0-9 ]{8,9}$' }), ...scopeFields },
          { additionalProperties: false },
        ),
        response: {
          200: SessionAnswer,
          ...problemResponses(
            'CONTEXT_REQUIRED',
            'INVALID_CODE',
            'ALREADY_EXISTS',
            'MEMBERSHIP_REQUIRED',
            'MEMBER_BLOCKED',
          ),
        },
      },
    },
    async (request) =>
      verifyEmail(
        await anonymousCtx(request, request.body),
        request.body.flowId,
        request.body.code.replaceAll(' ', ''),
      ),
  );

  app.post(
    '/v1/auth/email/resend',
    {
      config: { permission: 'public' },
      schema: {
        summary: 'Send the code again',
        description: 'Answers the same for every flow; the code before it stops working.',
        body: Type.Object({ flowId: FlowId, ...scopeFields }, { additionalProperties: false }),
        response: {
          202: Type.Object({ flowId: FlowId, expiresIn: Type.Integer(), resendAfter: Type.Integer() }),
          ...problemResponses('CONTEXT_REQUIRED', 'RATE_LIMIT_EXCEEDED'),
        },
      },
    },
    async (request, reply) =>
      reply.code(202).send(await resendCode(await anonymousCtx(request, request.body), request.body.flowId)),
  );
};
