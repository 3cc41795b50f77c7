import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';
import { Email, normaliseEmail, normalisePhone, Phone } from '#platform/identifiers.ts';
import { problemResponses } from '#platform/problem.ts';
import { FlowId, FlowStarted, OneTimeCode } from '#proofs';
import { finishAddressChange, startAddressChange } from './address-changes.ts';

const Proof = Type.Object({ flowId: FlowId, code: OneTimeCode }, { additionalProperties: false });
const started = { 202: FlowStarted, ...problemResponses('REAUTHENTICATION_REQUIRED', 'RATE_LIMIT_EXCEEDED') };
const textStarted = { ...started, ...problemResponses('ADDON_REQUIRED', 'PLAN_LIMIT_EXCEEDED') };
const finished = {
  204: Type.Null(),
  ...problemResponses('INVALID_CODE', 'ALREADY_EXISTS', 'REAUTHENTICATION_REQUIRED'),
};

/** A new address counts once it is proven; the one before hears of it. */
export const addressRoutes: Routes = (app) => {
  app.post(
    '/v1/me/profile/email',
    {
      config: { permission: 'customer', freshProof: 'second factor' },
      schema: {
        summary: 'Change my email address',
        description:
          'Mails a code to the new address, or to one’s own that is not confirmed; the change is made with it. Answers the same for an address that is taken.',
        body: Type.Object({ email: Email }, { additionalProperties: false }),
        response: started,
      },
    },
    async (request, reply) =>
      reply
        .code(202)
        .send(await startAddressChange(request.ctx, { kind: 'email', value: normaliseEmail(request.body.email) })),
  );

  app.post(
    '/v1/me/profile/phone',
    {
      config: { permission: 'customer', freshProof: 'second factor' },
      schema: {
        summary: 'Change my phone number',
        description: 'Sends a code to the new number; the change is made with it.',
        body: Type.Object({ phone: Phone }, { additionalProperties: false }),
        response: textStarted,
      },
    },
    async (request, reply) =>
      reply
        .code(202)
        .send(await startAddressChange(request.ctx, { kind: 'phone', value: normalisePhone(request.body.phone) })),
  );

  for (const kind of ['email', 'phone'] as const) {
    app.post(
      `/v1/me/profile/${kind}/verify`,
      {
        config: { permission: 'customer', freshProof: 'second factor' },
        schema: {
          summary: kind === 'email' ? 'Confirm my new email address' : 'Confirm my new phone number',
          body: Proof,
          response: finished,
        },
      },
      async (request, reply) => {
        await finishAddressChange(request.ctx, kind, request.body);
        return reply.code(204).send(null);
      },
    );
  }
};
