import { Type } from 'typebox';
import { askBreachedAhead } from '#passwords';
import type { Routes } from '#platform/http.ts';
import { problemResponses } from '#platform/problem.ts';
import { FlowStarted, proofOf } from '#proofs';
import { anonymousCtx, proofCtx } from '#requests';
import { Forgot, forgotPassword, Reset, resetPassword } from './password-reset.ts';

export const passwordResetRoutes: Routes = (app) => {
  app.post(
    '/v1/auth/password/forgot',
    {
      config: { permission: 'public' },
      schema: {
        summary: 'Ask for a new password',
        description: 'Answers the same whether or not there is an account.',
        body: Forgot,
        response: {
          202: FlowStarted,
          ...problemResponses('CONTEXT_REQUIRED', 'INVALID_TOKEN', 'METHOD_DISABLED', 'RATE_LIMIT_EXCEEDED'),
        },
      },
    },
    async (request, reply) =>
      reply.code(202).send(await forgotPassword(await anonymousCtx(request, request.body), request.body)),
  );

  app.post(
    '/v1/auth/password/reset',
    {
      config: { permission: 'public', ahead: askBreachedAhead },
      schema: {
        summary: 'Choose a new password',
        description:
          'Takes the `token` of the mailed link, or `flowId` and `code`. Ends every session; second factors stay.',
        body: Reset,
        response: {
          204: Type.Null(),
          ...problemResponses('CONTEXT_REQUIRED', 'INVALID_TOKEN', 'INVALID_CODE', 'WEAK_PASSWORD'),
        },
      },
    },
    async (request, reply) => {
      const { newPassword, ...body } = request.body;
      await resetPassword(await proofCtx(request, body), proofOf(body), newPassword);
      return reply.code(204).send(null);
    },
  );
};
