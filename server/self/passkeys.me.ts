import { Type } from 'typebox';
import { CHALLENGE_SECONDS, WebAuthnOptions } from '#passkeys';
import { customerOf, transaction } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import { found } from '#platform/problem.ts';
import { del, get, patch, post, type Routes } from '#platform/route.ts';
import {
  addOwnPasskey,
  changeOwnPasskey,
  NewPasskey,
  PasskeyName,
  passkeyCreation,
  SecondFactor,
} from './own-passkeys.ts';
import { ownPasskeys, PasskeyRecord } from './security.ts';
import { removeOwnPasskey } from './sign-in-methods.ts';

const PasskeyRef = Type.Object({ passkeyId: IdSchema('psk') });

/** A saved passkey, with recovery codes if it is the first second factor. */
const SavedPasskey = Type.Object({
  ...PasskeyRecord.properties,
  recoveryCodes: Type.Optional(Type.Array(Type.String(), { description: 'Shown once.' })),
});

export const passkeyRoutes: Routes = [
  post('/v1/me/security/passkeys/options', {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Start adding a passkey',
    description: 'Options for `navigator.credentials.create()`.',
    body: Type.Object({}, { additionalProperties: false }),
    responses: { 200: Type.Object({ flowId: IdSchema('chl'), options: WebAuthnOptions, expiresIn: Type.Integer() }) },
    problems: ['REAUTHENTICATION_REQUIRED', 'METHOD_DISABLED', 'CONFLICT'],
    silent: 'it returns the options of a passkey',
    handler: async (request) => {
      return { ...(await passkeyCreation(request.ctx)), expiresIn: CHALLENGE_SECONDS };
    },
  }),
  post('/v1/me/security/passkeys', {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Add a passkey',
    body: NewPasskey,
    responses: { 201: SavedPasskey },
    problems: ['REAUTHENTICATION_REQUIRED', 'INVALID_CODE', 'ALREADY_EXISTS'],
    handler: async (request) => {
      return addOwnPasskey(request.ctx, request.body);
    },
  }),
  get('/v1/me/security/passkeys/:passkeyId', {
    permission: 'customer',
    etag: { without: ['lastUsedAt'] },
    summary: 'Read one of my passkeys',
    params: PasskeyRef,
    responses: { 200: PasskeyRecord },
    problems: ['NOT_FOUND'],
    handler: async ({ ctx, params: { passkeyId } }) =>
      found((await ownPasskeys(ctx, customerOf(ctx).userId)).find(({ id }) => id === passkeyId)),
  }),
  patch('/v1/me/security/passkeys/:passkeyId', {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Change a passkey',
    params: PasskeyRef,
    body: Type.Object(
      { name: Type.Optional(PasskeyName), secondFactor: Type.Optional(SecondFactor) },
      { additionalProperties: false, minProperties: 1 },
    ),
    responses: { 200: SavedPasskey },
    problems: ['NOT_FOUND', 'REAUTHENTICATION_REQUIRED'],
    handler: async (request) => {
      return transaction(request.ctx, (tx) => changeOwnPasskey(tx, request.params.passkeyId, request.body));
    },
  }),
  del('/v1/me/security/passkeys/:passkeyId', {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Remove a passkey',
    params: PasskeyRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND', 'LAST_SIGN_IN_METHOD', 'REAUTHENTICATION_REQUIRED'],
    handler: (request) => removeOwnPasskey(request.ctx, request.params.passkeyId),
  }),
];
