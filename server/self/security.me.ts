import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { newTotp } from '#mfa';
import { askBreachedAhead, Password } from '#passwords';
import { type Ctx, customerOf, transaction } from '#platform/ctx.ts';
import { Phone } from '#platform/identifiers.ts';
import { IdSchema } from '#platform/ids.ts';
import { openCursor, type Page, PageOf, PageQuery, pageOf } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';
import { del, get, post, put, type Routes } from '#platform/route.ts';
import { AddressChallengeId, AddressChallengeStarted, OneTimeCode } from '#proofs';
import { revokeSessions, sessionsOfUser } from '#sessions';
import {
  changeOwnPassword,
  confirmOwnTotp,
  confirmPhoneFactor,
  ownSession,
  removeDevice,
  removeOwnFactor,
  renewRecoveryCodes,
  Security,
  SessionRecord,
  securityOf,
  startPhoneFactor,
} from './security.ts';

const recent = ['REAUTHENTICATION_REQUIRED'] as const;

/** The problems when no text message can be sent. */
const withoutSms = ['ADDON_REQUIRED', 'PLAN_LIMIT_EXCEEDED'] as const;
const RecoveryCodes = Type.Object({ recoveryCodes: Type.Array(Type.String(), { description: 'Shown once.' }) });

/** The codes are created only with the first second factor. */
const Enabled = Type.Partial(RecoveryCodes);

async function ownSessions(
  ctx: Ctx,
  { limit, cursor }: Static<typeof PageQuery>,
): Promise<Page<Static<typeof SessionRecord>>> {
  const { userId } = customerOf(ctx);
  const list = `sessions of ${userId}`;
  const before = cursor === undefined ? undefined : Value.Parse(IdSchema('ses'), openCursor(ctx, list, cursor));
  const rows = await sessionsOfUser(ctx, userId, { limit: limit + 1, before });
  const page = pageOf(ctx, rows, { list, limit, keyOf: ({ id }) => id });
  return { items: page.rows.map(ownSession(ctx)), nextCursor: page.nextCursor };
}

export const securityRoutes: Routes = [
  get('/v1/me/security', {
    permission: 'customer',
    etag: {
      without: ['mfa.factors.lastUsedAt', 'passkeys.lastUsedAt', 'rememberedDevices.lastUsedAt', 'sessions.lastSeenAt'],
    },
    summary: 'Read my security settings',
    responses: { 200: Security },
    handler: (request) => securityOf(request.ctx),
  }),
  put('/v1/me/security/password', {
    permission: 'customer',
    changes: '/v1/me/security',
    freshProof: 'second factor',
    ahead: askBreachedAhead,
    summary: 'Change my password',
    description: 'Ends every other session. Requires the current password if there is one.',
    body: Type.Object(
      { currentPassword: Type.Optional(Password), newPassword: Password },
      { additionalProperties: false },
    ),
    responses: { 204: Type.Null() },
    problems: [...recent, 'INVALID_CREDENTIALS', 'WEAK_PASSWORD', 'ACCOUNT_THROTTLED'],
    handler: (request) => changeOwnPassword(request.ctx, request.body),
  }),
  // An authenticator app as second factor.
  post('/v1/me/security/mfa/totp', {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Set up an authenticator app',
    description: 'It becomes a factor when it is confirmed with a code.',
    body: Type.Object({}, { additionalProperties: false }),
    responses: {
      200: Type.Object({ id: IdSchema('fac'), secret: Type.String(), uri: Type.String(), qrSvg: Type.String() }),
    },
    problems: [...recent, 'METHOD_DISABLED'],
    silent: 'the factor counts when it is confirmed',
    handler: async (request) => {
      return transaction(request.ctx, (tx) => newTotp(tx, customerOf(request.ctx).userId));
    },
  }),
  post('/v1/me/security/mfa/totp/confirm', {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Confirm the authenticator app',
    description: 'The first second factor comes with ten recovery codes.',
    body: Type.Object(
      { id: IdSchema('fac'), code: Type.String({ pattern: '^[0-9 ]{6,7}$' }) },
      { additionalProperties: false },
    ),
    responses: { 200: Enabled },
    problems: [...recent, 'INVALID_CODE', 'NOT_FOUND', 'ALREADY_EXISTS', 'ACCOUNT_THROTTLED'],
    handler: async (request) => {
      return confirmOwnTotp(request.ctx, request.body);
    },
  }),
  // A phone as second factor, removing factors, and recovery codes.
  ...(['totp', 'phone'] as const).map((kind) =>
    del(`/v1/me/security/mfa/${kind}`, {
      permission: 'customer',
      changes: '/v1/me/security',
      freshProof: 'second factor',
      summary: kind === 'totp' ? 'Remove my authenticator app' : 'Remove my phone as second factor',
      responses: { 204: Type.Null() },
      problems: [...recent, 'NOT_FOUND'],
      handler: (request) => removeOwnFactor(request.ctx, kind),
    }),
  ),
  post('/v1/me/security/mfa/phone', {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Set up a phone as second factor',
    description:
      'Sends a code that confirms the phone. A phone is a restricted authenticator: an app or a passkey is safer.',
    body: Type.Object({ phone: Phone }, { additionalProperties: false }),
    responses: { 202: AddressChallengeStarted },
    problems: [...recent, ...withoutSms, 'METHOD_DISABLED', 'RATE_LIMIT_EXCEEDED'],
    handler: async (request) => {
      return startPhoneFactor(request.ctx, request.body.phone);
    },
  }),
  post('/v1/me/security/mfa/phone/confirm', {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Confirm the phone as second factor',
    body: Type.Object({ flowId: AddressChallengeId, code: OneTimeCode }, { additionalProperties: false }),
    responses: { 200: Enabled },
    problems: [...recent, 'INVALID_CODE', 'ALREADY_EXISTS'],
    handler: async (request) => {
      return confirmPhoneFactor(request.ctx, request.body);
    },
  }),
  post('/v1/me/security/recovery-codes', {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Create new recovery codes',
    description: 'Creates ten codes, shown once; the previous ones stop working.',
    body: Type.Object({}, { additionalProperties: false }),
    responses: { 200: RecoveryCodes },
    problems: [...recent],
    handler: async (request) => {
      return renewRecoveryCodes(request.ctx);
    },
  }),
  get('/v1/me/security/sessions', {
    permission: 'customer',
    summary: 'List my sessions',
    query: PageQuery,
    responses: { 200: PageOf(SessionRecord) },
    problems: ['INVALID_CURSOR'],
    handler: (request) => ownSessions(request.ctx, request.query),
  }),
  del('/v1/me/security/sessions', {
    permission: 'customer',
    changes: '/v1/me/security',
    freshProof: 'any factor',
    summary: 'End my other sessions',
    responses: { 204: Type.Null() },
    problems: [...recent],
    handler: async (request) => {
      const { userId, sessionId } = customerOf(request.ctx);
      await transaction(request.ctx, (tx) => revokeSessions(tx, userId, { except: sessionId }, 'user'));
    },
  }),
  get('/v1/me/security/sessions/:sessionId', {
    permission: 'customer',
    etag: { without: ['lastSeenAt'] },
    summary: 'Read one of my sessions',
    params: Type.Object({ sessionId: IdSchema('ses') }),
    responses: { 200: SessionRecord },
    problems: ['NOT_FOUND'],
    handler: async (request) => {
      const { sessionId } = request.params;
      const [session] = await sessionsOfUser(request.ctx, customerOf(request.ctx).userId, {
        limit: 1,
        only: sessionId,
      });
      if (!session) throw problem('NOT_FOUND');
      return ownSession(request.ctx)(session);
    },
  }),
  del('/v1/me/security/sessions/:sessionId', {
    permission: 'customer',
    freshProof: 'any factor',
    summary: 'End one of my sessions',
    params: Type.Object({ sessionId: IdSchema('ses') }),
    responses: { 204: Type.Null() },
    problems: [...recent, 'NOT_FOUND'],
    handler: async (request) => {
      const { userId } = customerOf(request.ctx);
      const { sessionId } = request.params;
      const ended = await transaction(request.ctx, (tx) => revokeSessions(tx, userId, { only: sessionId }, 'user'));
      if (ended === 0) throw problem('NOT_FOUND');
    },
  }),
  del('/v1/me/security/devices/:deviceId', {
    permission: 'customer',
    changes: '/v1/me/security',
    freshProof: 'second factor',
    summary: 'Remove a remembered device',
    params: Type.Object({ deviceId: IdSchema('dev') }),
    responses: { 204: Type.Null() },
    problems: [...recent, 'NOT_FOUND'],
    handler: (request) => removeDevice(request.ctx, request.params.deviceId),
  }),
];
