import { Type } from 'typebox';
import type { Ctx } from '#platform/ctx.ts';
import type { Request, Routes } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { problemResponses } from '#platform/problem.ts';
import { CookieSession, ctxFor, environmentOf, sendSession } from '#requests';
import { SessionAnswer } from '#sessions';
import { findChallenge, MfaToken, type OpenChallenge } from '#sign-in';
import {
  enrolTotpFor,
  FactorPrompt,
  factorFields,
  finishEnrolment,
  finishWithFactor,
  MfaResult,
  promptFactor,
} from './mfa.ts';

const TotpEnrolment = Type.Object({
  id: IdSchema('fac'),
  secret: Type.String(),
  uri: Type.String(),
  qrSvg: Type.String(),
});

const remember = Type.Optional(Type.Boolean({ description: 'Skip the second factor on this device for a while.' }));
const answers = {
  200: Type.Union([
    Type.Object({ ...SessionAnswer.properties, ...MfaResult }),
    Type.Object({ ...CookieSession.properties, ...MfaResult }),
  ]),
  ...problemResponses(
    'INVALID_TOKEN',
    'INVALID_CODE',
    'INVALID_CREDENTIALS',
    'ACCOUNT_THROTTLED',
    'MEMBER_BLOCKED',
    'MEMBERSHIP_REQUIRED',
  ),
};

export const mfaRoutes: Routes = (app) => {
  app.post(
    '/v1/auth/mfa/challenge',
    {
      config: { permission: 'public' },
      schema: {
        summary: 'Prepare a second factor',
        description:
          'Sends the code of a phone, or answers the options of a passkey. Where no text message can be sent, the refusal names the other `factors`.',
        body: Type.Object(
          { mfaToken: MfaToken, factorId: Type.String({ minLength: 1, maxLength: 40 }) },
          { additionalProperties: false },
        ),
        response: {
          200: FactorPrompt,
          ...problemResponses(
            'INVALID_TOKEN',
            'ADDON_REQUIRED',
            'PLAN_LIMIT_EXCEEDED',
            'NOT_FOUND',
            'RATE_LIMIT_EXCEEDED',
          ),
        },
      },
    },
    async (request) => {
      const { ctx, challenge } = await challengeOf(request, request.body.mfaToken);
      return promptFactor(ctx, challenge, request.body.factorId);
    },
  );

  app.post(
    '/v1/auth/mfa/verify',
    {
      config: { permission: 'public' },
      schema: {
        summary: 'Finish with a second factor',
        description: 'Takes a code of an app or a phone, a recovery code, or the assertion of a passkey.',
        body: Type.Object(
          { mfaToken: MfaToken, ...factorFields, rememberDevice: remember, cookies: Type.Optional(Type.Boolean()) },
          { additionalProperties: false },
        ),
        response: answers,
      },
    },
    async (request, reply) => {
      const { mfaToken, cookies, ...answer } = request.body;
      const { ctx, challenge } = await challengeOf(request, mfaToken);
      const session = await finishWithFactor(ctx, challenge, answer);
      return sendSession(request, reply, session, { scope: ctx.scope, cookies });
    },
  );
};

/** For people who may not enter without a second factor and have none yet. */
export const mfaEnrolmentRoutes: Routes = (app) => {
  app.post(
    '/v1/auth/mfa/enroll',
    {
      config: { permission: 'public' },
      schema: {
        summary: 'Set up a second factor before the first session',
        description:
          'Where the policy requires one: begins with an authenticator app. Other factors can be added once signed in.',
        body: Type.Object({ mfaToken: MfaToken }, { additionalProperties: false }),
        response: { 200: TotpEnrolment, ...problemResponses('INVALID_TOKEN', 'METHOD_DISABLED') },
      },
    },
    async (request) => {
      const { ctx, challenge } = await challengeOf(request, request.body.mfaToken);
      return enrolTotpFor(ctx, challenge);
    },
  );

  app.post(
    '/v1/auth/mfa/enroll/confirm',
    {
      config: { permission: 'public' },
      schema: {
        summary: 'Confirm the second factor and sign in',
        body: Type.Object(
          {
            mfaToken: MfaToken,
            factorId: IdSchema('fac'),
            code: Type.String({ pattern: '^[0-9 ]{6,9}$' }),
            rememberDevice: remember,
            cookies: Type.Optional(Type.Boolean()),
          },
          { additionalProperties: false },
        ),
        response: answers,
      },
    },
    async (request, reply) => {
      const { mfaToken, cookies, ...answer } = request.body;
      const { ctx, challenge } = await challengeOf(request, mfaToken);
      const session = await finishEnrolment(ctx, challenge, answer);
      return sendSession(request, reply, session, { scope: ctx.scope, cookies });
    },
  );
};

async function challengeOf(request: Request, mfaToken: string): Promise<{ ctx: Ctx; challenge: OpenChallenge }> {
  const { scope, challenge } = await findChallenge(request.server.system, environmentOf(request), mfaToken);
  return { ctx: ctxFor(request, scope), challenge };
}
