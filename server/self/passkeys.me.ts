import { Type } from 'typebox';
import { CHALLENGE_SECONDS, WebAuthnOptions } from '#passkeys';
import { transaction } from '#platform/ctx.ts';
import type { Routes } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { problemResponses } from '#platform/problem.ts';
import { removeOwnPasskey } from '#sign-in';
import {
  addOwnPasskey,
  changeOwnPasskey,
  NewPasskey,
  PasskeyName,
  passkeyCreation,
  SecondFactor,
} from './own-passkeys.ts';
import { PasskeyRecord } from './security.ts';

const PasskeyRef = Type.Object({ passkeyId: IdSchema('psk') });

/** A passkey that became the first second factor comes with recovery codes. */
const SavedPasskey = Type.Object({
  ...PasskeyRecord.properties,
  recoveryCodes: Type.Optional(Type.Array(Type.String(), { description: 'Shown once.' })),
});

export const passkeyRoutes: Routes = (app) => {
  app.post(
    '/v1/me/security/passkeys/options',
    {
      config: { permission: 'customer', freshProof: 'second factor' },
      schema: {
        summary: 'Begin to add a passkey',
        description: 'Options for `navigator.credentials.create()`.',
        body: Type.Object({}, { additionalProperties: false }),
        response: {
          200: Type.Object({ flowId: IdSchema('chl'), options: WebAuthnOptions, expiresIn: Type.Integer() }),
          ...problemResponses('REAUTHENTICATION_REQUIRED', 'METHOD_DISABLED', 'CONFLICT'),
        },
      },
    },
    async (request) => {
      return { ...(await passkeyCreation(request.ctx)), expiresIn: CHALLENGE_SECONDS };
    },
  );

  app.post(
    '/v1/me/security/passkeys',
    {
      config: { permission: 'customer', freshProof: 'second factor' },
      schema: {
        summary: 'Add a passkey',
        body: NewPasskey,
        response: {
          201: SavedPasskey,
          ...problemResponses('REAUTHENTICATION_REQUIRED', 'INVALID_CODE', 'ALREADY_EXISTS'),
        },
      },
    },
    async (request, reply) => {
      return reply.code(201).send(await addOwnPasskey(request.ctx, request.body));
    },
  );
};

export const onePasskeyRoutes: Routes = (app) => {
  app.patch(
    '/v1/me/security/passkeys/:passkeyId',
    {
      config: { permission: 'customer', freshProof: 'second factor' },
      schema: {
        summary: 'Change a passkey',
        params: PasskeyRef,
        body: Type.Object(
          { name: Type.Optional(PasskeyName), secondFactor: Type.Optional(SecondFactor) },
          { additionalProperties: false, minProperties: 1 },
        ),
        response: { 200: SavedPasskey, ...problemResponses('NOT_FOUND', 'REAUTHENTICATION_REQUIRED') },
      },
    },
    async (request) => {
      return transaction(request.ctx, (tx) => changeOwnPasskey(tx, request.params.passkeyId, request.body));
    },
  );

  app.delete(
    '/v1/me/security/passkeys/:passkeyId',
    {
      config: { permission: 'customer', freshProof: 'second factor' },
      schema: {
        summary: 'Remove a passkey',
        params: PasskeyRef,
        response: {
          204: Type.Null(),
          ...problemResponses('NOT_FOUND', 'LAST_SIGN_IN_METHOD', 'REAUTHENTICATION_REQUIRED'),
        },
      },
    },
    async (request, reply) => {
      await removeOwnPasskey(request.ctx, request.params.passkeyId);
      return reply.code(204).send(null);
    },
  );
};
