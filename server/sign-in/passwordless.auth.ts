import { type Static, Type } from 'typebox';
import { requireRedirectUri } from '#exchange';
import type { Ctx } from '#platform/ctx.ts';
import { post, type Routes } from '#platform/route.ts';
import { AddressChallengeStarted, proofFields, proofOf } from '#proofs';
import { anonymousCtx, CookieSession, proofCtx, sendSession } from '#requests';
import { SignInResponse, signInFields } from '#ways';
import {
  type Destination,
  EmailStart,
  finishPasswordless,
  MagicLinkStart,
  type PasswordlessMethod,
  PhoneStart,
  startPasswordless,
} from './passwordless.ts';

/**
 * The address where the link ends, and its application.
 * @throws Problem VALIDATION_FAILED
 */
async function destinationOf(
  ctx: Ctx,
  { redirectUri, clientId, state, codeChallenge }: Omit<Static<typeof MagicLinkStart>, 'email'>,
): Promise<Destination | undefined> {
  if (redirectUri === undefined) return undefined;
  const application = await requireRedirectUri(ctx, clientId, redirectUri);
  const binding = { clientId: application.clientId, codeChallenge: codeChallenge ?? null };
  return { redirectUri, state: state ?? null, binding, ownPages: false };
}

const finishing: [path: string, summary: string, method: PasswordlessMethod][] = [
  ['magic-link', 'Sign in with a magic link or its code', 'magic_link'],
  ['email-code', 'Sign in with a mailed code', 'email_code'],
  ['phone', 'Sign in with a code sent to a phone', 'phone'],
];

export const passwordlessRoutes: Routes = [
  post('/v1/auth/login/magic-link', {
    permission: 'public',
    counted: 'proof',
    summary: 'Mail a magic link',
    description:
      'The link opens a page that shows the sign-in and asks for a click, so mail scanners cannot use it up. With `redirectUri` the page leads to the application with a one-time `code` for `POST /v1/auth/login/social/exchange`; with `codeChallenge` only the browser that has the verifier can use it.',
    body: MagicLinkStart,
    responses: { 202: AddressChallengeStarted },
    problems: ['CONTEXT_REQUIRED', 'ENVIRONMENT_MISMATCH', 'INVALID_TOKEN', 'METHOD_DISABLED', 'RATE_LIMIT_EXCEEDED'],
    handler: async (request) => {
      const { email, proof } = request.body;
      const ctx = await anonymousCtx(request, request.body);
      const pending = await destinationOf(ctx, request.body);
      const start = { address: email, proof, ...(pending && { pending }) };
      return startPasswordless(ctx, 'magic_link', start);
    },
  }),
  post('/v1/auth/login/email-code', {
    permission: 'public',
    counted: 'proof',
    summary: 'Mail a sign-in code',
    body: EmailStart,
    responses: { 202: AddressChallengeStarted },
    problems: ['CONTEXT_REQUIRED', 'ENVIRONMENT_MISMATCH', 'INVALID_TOKEN', 'METHOD_DISABLED', 'RATE_LIMIT_EXCEEDED'],
    handler: async (request) => {
      const { email, proof } = request.body;
      const ctx = await anonymousCtx(request, request.body);
      return startPasswordless(ctx, 'email_code', { address: email, proof });
    },
  }),
  post('/v1/auth/login/phone', {
    permission: 'public',
    counted: 'proof',
    summary: 'Send a code to a phone',
    description: 'Needs the SMS add-on in production; the test environment is free and sends nothing.',
    body: PhoneStart,
    responses: { 202: AddressChallengeStarted },
    problems: [
      'CONTEXT_REQUIRED',
      'ENVIRONMENT_MISMATCH',
      'INVALID_TOKEN',
      'METHOD_DISABLED',
      'RATE_LIMIT_EXCEEDED',
      'ADDON_REQUIRED',
      'PLAN_LIMIT_EXCEEDED',
    ],
    handler: async (request) => {
      const { phone, proof } = request.body;
      const ctx = await anonymousCtx(request, request.body);
      return startPasswordless(ctx, 'phone', { address: phone, proof });
    },
  }),
  ...finishing.map(([path, summary, method]) =>
    post(`/v1/auth/login/${path}/verify`, {
      permission: 'public',
      counted: 'proof',
      summary,
      body: Type.Object({ ...proofFields, ...signInFields }, { additionalProperties: false }),
      responses: { 200: Type.Union([...SignInResponse.anyOf, CookieSession]) },
      problems: [
        'CONTEXT_REQUIRED',
        'INVALID_CODE',
        'INVALID_TOKEN',
        'METHOD_DISABLED',
        'REGISTRATION_CLOSED',
        'MEMBERSHIP_REQUIRED',
        'MEMBER_BLOCKED',
        'REFUSED_BY_ACTION',
      ],
      handler: async (request, reply) => {
        const ctx = await proofCtx(request, request.body);
        const { deviceToken, cookies } = request.body;
        const response = await finishPasswordless(ctx, method, { proof: proofOf(request.body), deviceToken });
        return sendSession(request, reply, response, { scope: ctx.scope, cookies });
      },
    }),
  ),
];
