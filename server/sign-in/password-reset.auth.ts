import { Type } from 'typebox';
import { askBreachedAhead } from '#passwords';
import { post, type Routes } from '#platform/route.ts';
import { AddressChallengeStarted, proofOf } from '#proofs';
import { anonymousCtx, proofCtx } from '#requests';
import { Forgot, forgotPassword, Reset, resetPassword } from './password-reset.ts';

export const passwordResetRoutes: Routes = [
  post('/v1/auth/password/forgot', {
    permission: 'public',
    counted: 'proof',
    summary: 'Request a password reset',
    description: 'The response is the same whether or not an account exists.',
    body: Forgot,
    responses: { 202: AddressChallengeStarted },
    problems: ['CONTEXT_REQUIRED', 'INVALID_TOKEN', 'METHOD_DISABLED', 'RATE_LIMIT_EXCEEDED'],
    handler: async (request) => forgotPassword(await anonymousCtx(request, request.body), request.body),
  }),
  post('/v1/auth/password/reset', {
    permission: 'public',
    counted: 'password',
    ahead: askBreachedAhead,
    summary: 'Choose a new password',
    description:
      'Accepts the `token` of the mailed link, or `flowId` and `code`. Ends every session; second factors stay.',
    body: Reset,
    responses: { 204: Type.Null() },
    problems: ['CONTEXT_REQUIRED', 'INVALID_TOKEN', 'INVALID_CODE', 'METHOD_DISABLED', 'WEAK_PASSWORD'],
    handler: async (request) => {
      const { newPassword, ...body } = request.body;
      await resetPassword(await proofCtx(request, body), proofOf(body), newPassword);
    },
  }),
];
