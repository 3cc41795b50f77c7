import { Type } from 'typebox';
import { WebAuthnOptions } from '#passkeys';
import { IdSchema } from '#platform/ids.ts';
import { post, type Routes } from '#platform/route.ts';
import { anonymousCtx, CookieSession, scopeFields, sendSession } from '#requests';
import { SignInResponse } from '#ways';
import { loginWithPasskey, PasskeyLogin, passkeyOptions } from './passkey-login.ts';

const PasskeyOptions = Type.Object({
  flowId: IdSchema('chl'),
  options: WebAuthnOptions,
  expiresIn: Type.Integer({ description: 'Seconds.' }),
});

export const passkeyLoginRoutes: Routes = [
  post('/v1/auth/login/passkey/options', {
    permission: 'public',
    counted: 'begin',
    summary: 'Start a sign-in with a passkey',
    description:
      'Options for `navigator.credentials.get()`. They depend on no account: the browser offers its passkeys.',
    body: Type.Object(scopeFields, { additionalProperties: false }),
    responses: { 200: PasskeyOptions },
    problems: ['CONTEXT_REQUIRED', 'METHOD_DISABLED'],
    silent: 'it returns the options of a passkey',
    handler: async (request) => {
      const ctx = await anonymousCtx(request, request.body);
      return passkeyOptions(ctx);
    },
  }),
  post('/v1/auth/login/passkey/verify', {
    permission: 'public',
    counted: 'proof',
    summary: 'Sign in with a passkey',
    description: 'A passkey with user verification counts as two factors; no second factor is required.',
    body: PasskeyLogin,
    responses: { 200: Type.Union([...SignInResponse.anyOf, CookieSession]) },
    problems: [
      'CONTEXT_REQUIRED',
      'INVALID_CREDENTIALS',
      'METHOD_DISABLED',
      'MEMBERSHIP_REQUIRED',
      'MEMBER_BLOCKED',
      'REFUSED_BY_ACTION',
    ],
    handler: async (request, reply) => {
      const ctx = await anonymousCtx(request, request.body);
      const response = await loginWithPasskey(ctx, request.body);
      return sendSession(request, reply, response, { scope: ctx.scope, cookies: request.body.cookies });
    },
  }),
];
