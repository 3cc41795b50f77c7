import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';
import { problemResponses } from '#platform/problem.ts';
import { SessionAnswer } from '#sessions';
import { loginWithPassword, PasswordLogin } from './password-login.ts';
import { anonymousCtx } from './scope.ts';
import { VerificationChallenge } from './verifications.ts';

export const passwordLoginRoutes: Routes = (app) => {
  app.post(
    '/v1/auth/login/password',
    {
      config: { permission: 'public' },
      schema: {
        summary: 'Sign in with a password',
        body: PasswordLogin,
        response: {
          200: Type.Union([SessionAnswer, VerificationChallenge]),
          ...problemResponses(
            'CONTEXT_REQUIRED',
            'ENVIRONMENT_MISMATCH',
            'INVALID_CREDENTIALS',
            'MEMBERSHIP_REQUIRED',
            'MEMBER_BLOCKED',
            'ACCOUNT_THROTTLED',
          ),
        },
      },
    },
    async (request) => loginWithPassword(await anonymousCtx(request, request.body), request.body),
  );
};
