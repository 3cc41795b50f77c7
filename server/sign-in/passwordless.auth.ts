import { type Static, Type } from 'typebox';
import { requireRedirectUri } from '#exchange';
import type { Ctx } from '#platform/ctx.ts';
import type { Routes } from '#platform/http.ts';
import { problemResponses } from '#platform/problem.ts';
import { FlowStarted, proofFields, proofOf } from '#proofs';
import { anonymousCtx, CookieSession, proofCtx, sendSession } from '#requests';
import {
  type Destination,
  EmailStart,
  emailCode,
  finishPasswordless,
  MagicLinkStart,
  magicLink,
  type Passwordless,
  PhoneStart,
  phoneCode,
  startPasswordless,
} from './passwordless.ts';
import { SignInAnswer, signInFields } from './sign-in.ts';

const started = {
  202: FlowStarted,
  ...problemResponses(
    'CONTEXT_REQUIRED',
    'ENVIRONMENT_MISMATCH',
    'INVALID_TOKEN',
    'METHOD_DISABLED',
    'RATE_LIMIT_EXCEEDED',
  ),
};

export const passwordlessRoutes: Routes = (app) => {
  app.post(
    '/v1/auth/login/magic-link',
    {
      config: { permission: 'public' },
      schema: {
        summary: 'Mail a magic link',
        description:
          'The link opens a page that shows what is being approved and asks for a click, so mail scanners can not use it up. With `redirectUri` the page goes on to the application with a one-time `code` for `POST /v1/auth/login/social/exchange`; with `codeChallenge` only the browser that has the verifier can use it.',
        body: MagicLinkStart,
        response: started,
      },
    },
    async (request, reply) => {
      const { email, proof } = request.body;
      const ctx = await anonymousCtx(request, request.body);
      const pending = await destinationOf(ctx, request.body);
      const start = { address: email, proof, ...(pending && { pending }) };
      return reply.code(202).send(await startPasswordless(ctx, magicLink, start));
    },
  );

  app.post(
    '/v1/auth/login/email-code',
    {
      config: { permission: 'public' },
      schema: { summary: 'Mail a code to sign in with', body: EmailStart, response: started },
    },
    async (request, reply) => {
      const { email, proof } = request.body;
      const ctx = await anonymousCtx(request, request.body);
      return reply.code(202).send(await startPasswordless(ctx, emailCode, { address: email, proof }));
    },
  );

  app.post(
    '/v1/auth/login/phone',
    {
      config: { permission: 'public' },
      schema: {
        summary: 'Send a code to a phone',
        description: 'Needs the SMS add-on in production; the test environment is free and sends nothing.',
        body: PhoneStart,
        response: { ...started, ...problemResponses('ADDON_REQUIRED', 'PLAN_LIMIT_EXCEEDED') },
      },
    },
    async (request, reply) => {
      const { phone, proof } = request.body;
      const ctx = await anonymousCtx(request, request.body);
      return reply.code(202).send(await startPasswordless(ctx, phoneCode, { address: phone, proof }));
    },
  );
};

/** Where the link ends, and whose it is. @throws Problem VALIDATION_FAILED */
async function destinationOf(
  ctx: Ctx,
  { redirectUri, clientId, state, codeChallenge }: Omit<Static<typeof MagicLinkStart>, 'email'>,
): Promise<Destination | undefined> {
  if (redirectUri === undefined) return undefined;
  const application = await requireRedirectUri(ctx, clientId, redirectUri);
  const binding = { clientId: application.clientId, codeChallenge: codeChallenge ?? null };
  return { redirectUri, state: state ?? null, binding, ownPages: false };
}

export const passwordlessFinishRoutes: Routes = (app) => {
  const finishing: [path: string, summary: string, way: Passwordless][] = [
    ['magic-link', 'Sign in with a magic link or its code', magicLink],
    ['email-code', 'Sign in with a mailed code', emailCode],
    ['phone', 'Sign in with a code sent to a phone', phoneCode],
  ];
  for (const [path, summary, way] of finishing) {
    app.post(
      `/v1/auth/login/${path}/verify`,
      {
        config: { permission: 'public' },
        schema: {
          summary,
          body: Type.Object({ ...proofFields, ...signInFields }, { additionalProperties: false }),
          response: {
            200: Type.Union([...SignInAnswer.anyOf, CookieSession]),
            ...problemResponses(
              'CONTEXT_REQUIRED',
              'INVALID_CODE',
              'INVALID_TOKEN',
              'METHOD_DISABLED',
              'REGISTRATION_CLOSED',
              'MEMBERSHIP_REQUIRED',
              'MEMBER_BLOCKED',
            ),
          },
        },
      },
      async (request, reply) => {
        const ctx = await proofCtx(request, request.body);
        const { deviceToken, cookies } = request.body;
        const answer = await finishPasswordless(ctx, way, { proof: proofOf(request.body), deviceToken });
        return sendSession(request, reply, answer, { scope: ctx.scope, cookies });
      },
    );
  }
};
