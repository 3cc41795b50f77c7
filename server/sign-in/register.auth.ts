import { Type } from 'typebox';
import { keepMark, newMark } from '#exchange';
import { askBreachedAhead } from '#passwords';
import { post, type Routes } from '#platform/route.ts';
import { VerificationChallenge } from '#proofs';
import { anonymousCtx, CookieSession, sendSession } from '#requests';
import { SignInResponse } from '#ways';
import { Registration, register } from './register.ts';

export const registerRoutes: Routes = [
  post('/v1/auth/register', {
    permission: 'public',
    counted: 'password',
    ahead: askBreachedAhead,
    summary: 'Register',
    description:
      'Returns a session, or a challenge if the address must be verified first; the account is then created by `POST /v1/auth/email/verify`.',
    body: Registration,
    responses: { 200: Type.Union([...SignInResponse.anyOf, VerificationChallenge, CookieSession]) },
    problems: [
      'CONTEXT_REQUIRED',
      'ENVIRONMENT_MISMATCH',
      'WEAK_PASSWORD',
      'REGISTRATION_CLOSED',
      'MEMBERSHIP_REQUIRED',
      'METHOD_DISABLED',
      'INVALID_TOKEN',
      'RATE_LIMIT_EXCEEDED',
      'ALREADY_EXISTS',
      'CONFLICT',
      'REFUSED_BY_ACTION',
    ],
    handler: async (request, reply) => {
      const ctx = await anonymousCtx(request, request.body);
      const browser = newMark(request);
      const response = await register(ctx, request.body, browser);
      if ('status' in response && response.status === 'verification_required') keepMark(request, reply, browser);
      return sendSession(request, reply, response, { scope: ctx.scope, cookies: request.body.cookies });
    },
  }),
];
