import { Type } from 'typebox';
import { WebAuthnOptions } from '#passkeys';
import type { Routes } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { problemResponses } from '#platform/problem.ts';
import { anonymousCtx, CookieSession, scopeFields, sendSession } from '#requests';
import { loginWithPasskey, PasskeyLogin, passkeyOptions } from './passkey-login.ts';
import { SignInAnswer } from './sign-in.ts';

const PasskeyOptions = Type.Object({
  flowId: IdSchema('chl'),
  options: WebAuthnOptions,
  expiresIn: Type.Integer({ description: 'Seconds.' }),
});

export const passkeyLoginRoutes: Routes = (app) => {
  app.post(
    '/v1/auth/login/passkey/options',
    {
      config: { permission: 'public' },
      schema: {
        summary: 'Begin to sign in with a passkey',
        description:
          'Options for `navigator.credentials.get()`. They depend on no account: the browser offers the passkeys it has.',
        body: Type.Object(scopeFields, { additionalProperties: false }),
        response: { 200: PasskeyOptions, ...problemResponses('CONTEXT_REQUIRED', 'METHOD_DISABLED') },
      },
    },
    async (request) => {
      const ctx = await anonymousCtx(request, request.body);
      return passkeyOptions(ctx);
    },
  );

  app.post(
    '/v1/auth/login/passkey/verify',
    {
      config: { permission: 'public' },
      schema: {
        summary: 'Sign in with a passkey',
        description: 'A passkey with user verification is two factors in one: no second one is asked for.',
        body: PasskeyLogin,
        response: {
          200: Type.Union([...SignInAnswer.anyOf, CookieSession]),
          ...problemResponses(
            'CONTEXT_REQUIRED',
            'INVALID_CREDENTIALS',
            'METHOD_DISABLED',
            'MEMBERSHIP_REQUIRED',
            'MEMBER_BLOCKED',
          ),
        },
      },
    },
    async (request, reply) => {
      const ctx = await anonymousCtx(request, request.body);
      const answer = await loginWithPasskey(ctx, request.body);
      return sendSession(request, reply, answer, { scope: ctx.scope, cookies: request.body.cookies });
    },
  );
};
