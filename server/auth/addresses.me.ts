import { Type } from 'typebox';
import { emit } from '#events';
import { Email, findIdentifier, normalise, normalisePhone, Phone, replaceAddress } from '#identity';
import { type Ctx, customerOf } from '#platform/ctx.ts';
import type { Routes } from '#platform/http.ts';
import { problem, problemResponses } from '#platform/problem.ts';
import { requireRecentAuthentication } from '#sessions';
import { digitsOf, FlowId, FlowStarted, OneTimeCode, startFlow, withProof } from './flows.ts';
import { credentialChanged } from './notices.ts';

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
      config: { permission: 'customer' },
      schema: {
        summary: 'Change my email address',
        description:
          'Mails a code to the new address; the change is made with it. Answers the same for an address that is taken.',
        body: Type.Object({ email: Email }, { additionalProperties: false }),
        response: started,
      },
    },
    async (request, reply) =>
      reply
        .code(202)
        .send(await startChange(request.ctx, { kind: 'email', value: normalise(request.body.email).value })),
  );

  app.post(
    '/v1/me/profile/phone',
    {
      config: { permission: 'customer' },
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
        .send(await startChange(request.ctx, { kind: 'phone', value: normalisePhone(request.body.phone) })),
  );

  for (const kind of ['email', 'phone'] as const) {
    app.post(
      `/v1/me/profile/${kind}/verify`,
      {
        config: { permission: 'customer' },
        schema: {
          summary: kind === 'email' ? 'Confirm my new email address' : 'Confirm my new phone number',
          body: Proof,
          response: finished,
        },
      },
      async (request, reply) => {
        await finishChange(request.ctx, kind, request.body);
        return reply.code(204).send(null);
      },
    );
  }
};

async function startChange(ctx: Ctx, address: { kind: 'email' | 'phone'; value: string }) {
  await requireRecentAuthentication(ctx);
  const { userId } = customerOf(ctx);
  const owner = await findIdentifier(ctx, address);
  return startFlow(ctx, {
    purpose: address.kind === 'email' ? 'change_email' : 'change_phone',
    channel: address.kind,
    address: address.value,
    userId,
    ...(owner && { decoy: { tell: owner.userId !== userId } }),
  });
}

async function finishChange(
  ctx: Ctx,
  kind: 'email' | 'phone',
  { flowId, code }: { flowId: FlowId; code: string },
): Promise<void> {
  await requireRecentAuthentication(ctx);
  const { userId } = customerOf(ctx);
  const purpose = kind === 'email' ? 'change_email' : 'change_phone';
  await withProof(ctx, { proof: { flowId, code: digitsOf(code) }, purposes: [purpose] }, async (tx, flow) => {
    if (flow.userId !== userId) throw problem('INVALID_CODE');
    const before = await replaceAddress(tx, userId, { kind, value: flow.address });
    await emit(tx, kind === 'email' ? 'user.email.changed' : 'user.phone.changed', { userId });
    // The address before is told, so that its owner can act on a change somebody else made.
    await credentialChanged(tx, userId, kind, kind === 'email' && before !== null ? before : undefined);
  });
}
