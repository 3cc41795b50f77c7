import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';
import { problemResponses } from '#platform/problem.ts';
import { SessionAnswer } from '#sessions';
import { Registration, register } from './register.ts';
import { anonymousCtx } from './scope.ts';
import { VerificationChallenge } from './verifications.ts';

export const registerRoutes: Routes = (app) => {
  app.post(
    '/v1/auth/register',
    {
      config: { permission: 'public' },
      schema: {
        summary: 'Register',
        description:
          'Answers a session, or a challenge where the address must be verified first: then no account exists until `POST /v1/auth/email/verify`.',
        body: Registration,
        response: {
          200: Type.Union([SessionAnswer, VerificationChallenge]),
          ...problemResponses(
            'CONTEXT_REQUIRED',
            'ENVIRONMENT_MISMATCH',
            'WEAK_PASSWORD',
            'REGISTRATION_CLOSED',
            'ALREADY_EXISTS',
          ),
        },
      },
    },
    async (request) => register(await anonymousCtx(request, request.body), request.body),
  );
};
