import { Type } from 'typebox';
import { keepMark, newMark } from '#exchange';
import { post, type Routes } from '#platform/route.ts';
import { VerificationChallenge } from '#proofs';
import { anonymousCtx, CookieSession, sendSession } from '#requests';
import { SignInResponse } from '#ways';
import { loginWithPassword, PasswordLogin } from './password-login.ts';

export const passwordLoginRoutes: Routes = [
  post('/v1/auth/login/password', {
    permission: 'public',
    counted: 'proof',
    summary: 'Sign in with a password',
    body: PasswordLogin,
    responses: { 200: Type.Union([...SignInResponse.anyOf, VerificationChallenge, CookieSession]) },
    problems: [
      'INVALID_TOKEN',
      'CONTEXT_REQUIRED',
      'ENVIRONMENT_MISMATCH',
      'INVALID_CREDENTIALS',
      'METHOD_DISABLED',
      'MEMBERSHIP_REQUIRED',
      'MEMBER_BLOCKED',
      'REFUSED_BY_ACTION',
      'ACCOUNT_THROTTLED',
      'RATE_LIMIT_EXCEEDED',
    ],
    handler: async (request, reply) => {
      const ctx = await anonymousCtx(request, request.body);
      const browser = newMark(request);
      const response = await loginWithPassword(ctx, request.body, browser);
      if ('status' in response && response.status === 'verification_required') keepMark(request, reply, browser);
      return sendSession(request, reply, response, { scope: ctx.scope, cookies: request.body.cookies });
    },
  }),
];
