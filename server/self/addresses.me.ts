import { Type } from 'typebox';
import { Email, normaliseEmail, normalisePhone, Phone } from '#platform/identifiers.ts';
import { post, type Routes } from '#platform/route.ts';
import { AddressChallengeId, AddressChallengeStarted, OneTimeCode } from '#proofs';
import { finishAddressChange, startAddressChange } from './address-changes.ts';

const Proof = Type.Object({ flowId: AddressChallengeId, code: OneTimeCode }, { additionalProperties: false });

/** A new address takes effect when it is proven; the old one is notified. */
export const addressRoutes: Routes = [
  post('/v1/me/profile/email', {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Change my email address',
    description:
      'Mails a code to the new address, or to the current one if it is not verified; the code makes the change. The response is the same for an address that is taken.',
    body: Type.Object({ email: Email }, { additionalProperties: false }),
    responses: { 202: AddressChallengeStarted },
    problems: ['REAUTHENTICATION_REQUIRED', 'RATE_LIMIT_EXCEEDED'],
    handler: async (request, reply) =>
      reply
        .code(202)
        .send(await startAddressChange(request.ctx, { kind: 'email', value: normaliseEmail(request.body.email) })),
  }),
  post('/v1/me/profile/phone', {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Change my phone number',
    description: 'Sends a code to the new number; the code makes the change.',
    body: Type.Object({ phone: Phone }, { additionalProperties: false }),
    responses: { 202: AddressChallengeStarted },
    problems: ['REAUTHENTICATION_REQUIRED', 'RATE_LIMIT_EXCEEDED', 'ADDON_REQUIRED', 'PLAN_LIMIT_EXCEEDED'],
    handler: async (request, reply) =>
      reply
        .code(202)
        .send(await startAddressChange(request.ctx, { kind: 'phone', value: normalisePhone(request.body.phone) })),
  }),
  ...(['email', 'phone'] as const).map((kind) =>
    post(`/v1/me/profile/${kind}/verify`, {
      permission: 'customer',
      freshProof: 'second factor',
      summary: kind === 'email' ? 'Confirm my new email address' : 'Confirm my new phone number',
      body: Proof,
      responses: { 204: Type.Null() },
      problems: ['INVALID_CODE', 'ALREADY_EXISTS', 'REAUTHENTICATION_REQUIRED'],
      handler: (request) => finishAddressChange(request.ctx, kind, request.body),
    }),
  ),
];
