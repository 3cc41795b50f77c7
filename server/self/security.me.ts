import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { newTotp } from '#mfa';
import { askBreachedAhead, Password } from '#passwords';
import { type Ctx, customerOf, transaction } from '#platform/ctx.ts';
import type { Routes } from '#platform/http.ts';
import { Phone } from '#platform/identifiers.ts';
import { IdSchema } from '#platform/ids.ts';
import { openCursor, type Page, PageOf, PageQuery, pageOf } from '#platform/page.ts';
import { problem, problemResponses } from '#platform/problem.ts';
import { FlowId, FlowStarted, OneTimeCode } from '#proofs';
import { type ListedSession, listSessions, revokeSessions } from '#sessions';
import {
  changeOwnPassword,
  confirmOwnTotp,
  confirmPhoneFactor,
  forgetDevice,
  removeOwnFactor,
  renewRecoveryCodes,
  Security,
  SessionRecord,
  securityOf,
  startPhoneFactor,
} from './security.ts';

const recent = ['REAUTHENTICATION_REQUIRED'] as const;
/** Where no text message can be sent. */
const withoutSms = ['ADDON_REQUIRED', 'PLAN_LIMIT_EXCEEDED'] as const;
const RecoveryCodes = Type.Object({ recoveryCodes: Type.Array(Type.String(), { description: 'Shown once.' }) });
/** The codes come with the first second factor only. */
const Enabled = Type.Partial(RecoveryCodes);

export const securityRoutes: Routes = (app) => {
  app.get(
    '/v1/me/security',
    {
      config: { permission: 'customer', etag: { without: ['lastSeenAt', 'lastUsedAt'] } },
      schema: { summary: 'Read my security settings', response: { 200: Security } },
    },
    (request) => securityOf(request.ctx),
  );

  app.put(
    '/v1/me/security/password',
    {
      config: { permission: 'customer', freshProof: 'second factor', ahead: askBreachedAhead },
      schema: {
        summary: 'Change my password',
        description: 'Ends every other session. The current password is needed where there is one.',
        body: Type.Object(
          { currentPassword: Type.Optional(Password), newPassword: Password },
          { additionalProperties: false },
        ),
        response: {
          204: Type.Null(),
          ...problemResponses(...recent, 'INVALID_CREDENTIALS', 'WEAK_PASSWORD', 'ACCOUNT_THROTTLED'),
        },
      },
    },
    async (request, reply) => {
      await changeOwnPassword(request.ctx, request.body);
      return reply.code(204).send(null);
    },
  );
};

/** An authenticator app as second factor. */
export const totpRoutes: Routes = (app) => {
  app.post(
    '/v1/me/security/mfa/totp',
    {
      config: { permission: 'customer', freshProof: 'second factor' },
      schema: {
        summary: 'Set an authenticator app up',
        description: 'It counts once confirmed with a code.',
        body: Type.Object({}, { additionalProperties: false }),
        response: {
          200: Type.Object({ id: IdSchema('fac'), secret: Type.String(), uri: Type.String(), qrSvg: Type.String() }),
          ...problemResponses(...recent, 'METHOD_DISABLED'),
        },
      },
    },
    async (request) => {
      return transaction(request.ctx, (tx) => newTotp(tx, customerOf(request.ctx).userId));
    },
  );

  app.post(
    '/v1/me/security/mfa/totp/confirm',
    {
      config: { permission: 'customer', freshProof: 'second factor' },
      schema: {
        summary: 'Turn the authenticator app on',
        description: 'The first second factor comes with ten recovery codes.',
        body: Type.Object(
          { id: IdSchema('fac'), code: Type.String({ pattern: '^[0-9 ]{6,7}$' }) },
          { additionalProperties: false },
        ),
        response: {
          200: Enabled,
          ...problemResponses(...recent, 'INVALID_CODE', 'NOT_FOUND', 'ALREADY_EXISTS', 'ACCOUNT_THROTTLED'),
        },
      },
    },
    async (request) => {
      return confirmOwnTotp(request.ctx, request.body);
    },
  );
};

/** A phone as second factor, removing factors, and recovery codes. */
export const factorRoutes: Routes = (app) => {
  for (const kind of ['totp', 'phone'] as const) {
    app.delete(
      `/v1/me/security/mfa/${kind}`,
      {
        config: { permission: 'customer', freshProof: 'second factor' },
        schema: {
          summary: kind === 'totp' ? 'Remove my authenticator app' : 'Remove my phone as second factor',
          response: { 204: Type.Null(), ...problemResponses(...recent, 'NOT_FOUND') },
        },
      },
      async (request, reply) => {
        await removeOwnFactor(request.ctx, kind);
        return reply.code(204).send(null);
      },
    );
  }

  app.post(
    '/v1/me/security/mfa/phone',
    {
      config: { permission: 'customer', freshProof: 'second factor' },
      schema: {
        summary: 'Set a phone up as second factor',
        description:
          'Sends a code; confirm with it. A phone is a restricted authenticator: an app or a passkey is safer.',
        body: Type.Object({ phone: Phone }, { additionalProperties: false }),
        response: {
          202: FlowStarted,
          ...problemResponses(...recent, ...withoutSms, 'METHOD_DISABLED', 'RATE_LIMIT_EXCEEDED'),
        },
      },
    },
    async (request, reply) => {
      return reply.code(202).send(await startPhoneFactor(request.ctx, request.body.phone));
    },
  );

  app.post(
    '/v1/me/security/mfa/phone/confirm',
    {
      config: { permission: 'customer', freshProof: 'second factor' },
      schema: {
        summary: 'Turn the phone on as second factor',
        body: Type.Object({ flowId: FlowId, code: OneTimeCode }, { additionalProperties: false }),
        response: { 200: Enabled, ...problemResponses(...recent, 'INVALID_CODE', 'ALREADY_EXISTS') },
      },
    },
    async (request) => {
      return confirmPhoneFactor(request.ctx, request.body);
    },
  );

  app.post(
    '/v1/me/security/recovery-codes',
    {
      config: { permission: 'customer', freshProof: 'second factor' },
      schema: {
        summary: 'Make new recovery codes',
        description: 'Ten, shown once; those before end.',
        body: Type.Object({}, { additionalProperties: false }),
        response: { 200: RecoveryCodes, ...problemResponses(...recent) },
      },
    },
    async (request) => {
      return renewRecoveryCodes(request.ctx);
    },
  );
};

export const ownSessionRoutes: Routes = (app) => {
  app.get(
    '/v1/me/security/sessions',
    {
      config: { permission: 'customer' },
      schema: {
        summary: 'List my sessions',
        querystring: PageQuery,
        response: { 200: PageOf(SessionRecord), ...problemResponses('INVALID_CURSOR') },
      },
    },
    (request) => ownSessions(request.ctx, request.query),
  );

  app.delete(
    '/v1/me/security/sessions',
    {
      config: { permission: 'customer', freshProof: 'any factor' },
      schema: { summary: 'End my other sessions', response: { 204: Type.Null(), ...problemResponses(...recent) } },
    },
    async (request, reply) => {
      const { userId, sessionId } = customerOf(request.ctx);
      await transaction(request.ctx, (tx) => revokeSessions(tx, userId, { except: sessionId }, 'user'));
      return reply.code(204).send(null);
    },
  );
};

async function ownSessions(ctx: Ctx, { limit, cursor }: Static<typeof PageQuery>): Promise<Page<ListedSession>> {
  const { userId } = customerOf(ctx);
  const list = `sessions of ${userId}`;
  const before = cursor === undefined ? undefined : Value.Parse(IdSchema('ses'), openCursor(ctx, list, cursor));
  const rows = await listSessions(ctx, userId, { limit: limit + 1, before });
  const page = pageOf(ctx, rows, { list, limit, keyOf: ({ id }) => id });
  return { items: page.rows, nextCursor: page.nextCursor };
}

export const oneSessionRoutes: Routes = (app) => {
  app.get(
    '/v1/me/security/sessions/:sessionId',
    {
      config: { permission: 'customer', etag: { without: ['lastSeenAt'] } },
      schema: {
        summary: 'Read one of my sessions',
        params: Type.Object({ sessionId: IdSchema('ses') }),
        response: { 200: SessionRecord, ...problemResponses('NOT_FOUND') },
      },
    },
    async (request) => {
      const { sessionId } = request.params;
      const [session] = await listSessions(request.ctx, customerOf(request.ctx).userId, {
        limit: 1,
        only: sessionId,
      });
      if (!session) throw problem('NOT_FOUND');
      return session;
    },
  );

  app.delete(
    '/v1/me/security/sessions/:sessionId',
    {
      config: { permission: 'customer', freshProof: 'any factor' },
      schema: {
        summary: 'End one of my sessions',
        params: Type.Object({ sessionId: IdSchema('ses') }),
        response: { 204: Type.Null(), ...problemResponses(...recent, 'NOT_FOUND') },
      },
    },
    async (request, reply) => {
      const { userId } = customerOf(request.ctx);
      const { sessionId } = request.params;
      const ended = await transaction(request.ctx, (tx) => revokeSessions(tx, userId, { only: sessionId }, 'user'));
      if (ended === 0) throw problem('NOT_FOUND');
      return reply.code(204).send(null);
    },
  );

  app.delete(
    '/v1/me/security/devices/:deviceId',
    {
      config: { permission: 'customer', freshProof: 'second factor' },
      schema: {
        summary: 'Forget a remembered device',
        params: Type.Object({ deviceId: IdSchema('dev') }),
        response: { 204: Type.Null(), ...problemResponses(...recent, 'NOT_FOUND') },
      },
    },
    async (request, reply) => {
      await forgetDevice(request.ctx, request.params.deviceId);
      return reply.code(204).send(null);
    },
  );
};
