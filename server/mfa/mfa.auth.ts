import { Type } from 'typebox';
import { findChallenge, MfaToken, type OpenChallenge } from '#mfa-challenges';
import type { Ctx } from '#platform/ctx.ts';
import type { Request } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { post, type Routes } from '#platform/route.ts';
import { CookieSession, ctxFor, environmentOf, sendSession } from '#requests';
import { SessionResponse } from '#sessions';
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

/** The responses of both ways to finish a sign-in. */
const FINISHED = {
  responses: {
    200: Type.Union([
      Type.Object({ ...SessionResponse.properties, ...MfaResult }),
      Type.Object({ ...CookieSession.properties, ...MfaResult }),
    ]),
  },
  problems: [
    'INVALID_TOKEN',
    'INVALID_CODE',
    'INVALID_CREDENTIALS',
    'REAUTHENTICATION_REQUIRED',
    'NOT_FOUND',
    'ORGANIZATION_BLOCKED',
    'ORGANIZATION_ADDRESS',
    'ORGANIZATION_METHOD',
    'ACCOUNT_THROTTLED',
    'MEMBER_BLOCKED',
    'REFUSED_BY_ACTION',
    'MEMBERSHIP_REQUIRED',
  ],
} as const;

export const mfaRoutes: Routes = [
  post('/v1/auth/mfa/challenge', {
    permission: 'public',
    counted: 'proof',
    summary: 'Prepare a second factor',
    description:
      'Sends the code to a phone, or returns the options of a passkey. If no text message can be sent, the problem lists the other `factors`.',
    body: Type.Object(
      { mfaToken: MfaToken, factorId: Type.String({ minLength: 1, maxLength: 40 }) },
      { additionalProperties: false },
    ),
    responses: { 200: FactorPrompt },
    problems: ['INVALID_TOKEN', 'ADDON_REQUIRED', 'PLAN_LIMIT_EXCEEDED', 'NOT_FOUND', 'RATE_LIMIT_EXCEEDED'],
    silent: 'it may return the options of a passkey; a code that is sent writes an event',
    handler: async (request) => {
      const { ctx, challenge } = await challengeOf(request, request.body.mfaToken);
      return promptFactor(ctx, challenge, request.body.factorId);
    },
  }),
  post('/v1/auth/mfa/verify', {
    permission: 'public',
    counted: 'proof',
    summary: 'Finish with a second factor',
    description: 'Accepts a code of an app or a phone, a recovery code, or the assertion of a passkey.',
    body: Type.Object(
      { mfaToken: MfaToken, ...factorFields, rememberDevice: remember, cookies: Type.Optional(Type.Boolean()) },
      { additionalProperties: false },
    ),
    ...FINISHED,
    handler: async (request, reply) => {
      const { mfaToken, cookies, ...response } = request.body;
      const { ctx, challenge } = await challengeOf(request, mfaToken);
      const session = await finishWithFactor(ctx, challenge, response);
      return sendSession(request, reply, session, { scope: ctx.scope, cookies });
    },
  }),
  // For users who may not enter without a second factor and have none yet.
  post('/v1/auth/mfa/enroll', {
    permission: 'public',
    counted: 'proof',
    summary: 'Set up a second factor before the first session',
    description:
      'For a policy that requires a factor: starts with an authenticator app. Other factors can be added after signing in.',
    body: Type.Object({ mfaToken: MfaToken }, { additionalProperties: false }),
    responses: { 200: TotpEnrolment },
    problems: ['INVALID_TOKEN', 'METHOD_DISABLED', 'REAUTHENTICATION_REQUIRED'],
    silent: 'the factor counts when it is confirmed',
    handler: async (request) => {
      const { ctx, challenge } = await challengeOf(request, request.body.mfaToken);
      return enrolTotpFor(ctx, challenge);
    },
  }),
  post('/v1/auth/mfa/enroll/confirm', {
    permission: 'public',
    counted: 'proof',
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
    ...FINISHED,
    handler: async (request, reply) => {
      const { mfaToken, cookies, ...response } = request.body;
      const { ctx, challenge } = await challengeOf(request, mfaToken);
      const session = await finishEnrolment(ctx, challenge, response);
      return sendSession(request, reply, session, { scope: ctx.scope, cookies });
    },
  }),
];

async function challengeOf(request: Request, mfaToken: string): Promise<{ ctx: Ctx; challenge: OpenChallenge }> {
  const { scope, challenge } = await findChallenge(request.server.system, environmentOf(request), mfaToken);
  return { ctx: ctxFor(request, scope), challenge };
}
