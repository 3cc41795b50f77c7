import { type Static, Type } from 'typebox';
import {
  addPasskey,
  CHALLENGE_SECONDS,
  changePasskey,
  type PasskeyId,
  passkeyCreationOptions,
  RegistrationResponse,
  usersById,
  WebAuthnOptions,
} from '#identity';
import { type Ctx, customerOf, type TxCtx, transaction } from '#platform/ctx.ts';
import type { Routes } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { problem, problemResponses } from '#platform/problem.ts';
import { requireRecentAuthentication } from '#sessions';
import { credentialChanged } from './notices.ts';
import { factorRemoved, firstCodes } from './recovery-codes.ts';
import { relyingPartyOf } from './relying-party.ts';
import { ownPasskeys, PasskeyRecord } from './security.ts';
import { requireMethod } from './sign-in.ts';
import { removeOwnPasskey } from './sign-in-methods.ts';

const name = Type.String({ minLength: 1, maxLength: 100 });
const secondFactor = Type.Boolean({ description: 'Asked for after a password, too.' });
const PasskeyRef = Type.Object({ passkeyId: IdSchema('psk') });

/** A passkey that became the first second factor comes with recovery codes. */
const SavedPasskey = Type.Object({
  ...PasskeyRecord.properties,
  recoveryCodes: Type.Optional(Type.Array(Type.String(), { description: 'Shown once.' })),
});

const NewPasskey = Type.Object(
  {
    flowId: IdSchema('chl'),
    response: RegistrationResponse,
    name: Type.Optional(name),
    secondFactor: Type.Optional(secondFactor),
  },
  { additionalProperties: false },
);

export const passkeyRoutes: Routes = (app) => {
  app.post(
    '/v1/me/security/passkeys/options',
    {
      config: { permission: 'customer' },
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
      await requireRecentAuthentication(request.ctx);
      await requireMethod(request.ctx, 'passkey');
      return { ...(await creationOptions(request.ctx)), expiresIn: CHALLENGE_SECONDS };
    },
  );

  app.post(
    '/v1/me/security/passkeys',
    {
      config: { permission: 'customer' },
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
      await requireRecentAuthentication(request.ctx);
      const { userId } = customerOf(request.ctx);
      const rp = await relyingPartyOf(request.ctx);
      const { name: given = 'Passkey', secondFactor: second = false, ...made } = request.body;
      const added = await transaction(request.ctx, async (tx) => {
        const id = await addPasskey(tx, userId, { ...made, name: given, secondFactor: second }, rp);
        await credentialChanged(tx, userId, 'passkey_added');
        const codes = second ? await firstCodes(tx, userId) : {};
        return { ...(await savedPasskey(tx, id)), ...codes };
      });
      return reply.code(201).send(added);
    },
  );
};

export const onePasskeyRoutes: Routes = (app) => {
  app.patch(
    '/v1/me/security/passkeys/:passkeyId',
    {
      config: { permission: 'customer' },
      schema: {
        summary: 'Change a passkey',
        params: PasskeyRef,
        body: Type.Object(
          { name: Type.Optional(name), secondFactor: Type.Optional(secondFactor) },
          { additionalProperties: false, minProperties: 1 },
        ),
        response: { 200: SavedPasskey, ...problemResponses('NOT_FOUND', 'REAUTHENTICATION_REQUIRED') },
      },
    },
    async (request) => {
      await requireRecentAuthentication(request.ctx);
      return transaction(request.ctx, (tx) => changeOwnPasskey(tx, request.params.passkeyId, request.body));
    },
  );

  app.delete(
    '/v1/me/security/passkeys/:passkeyId',
    {
      config: { permission: 'customer' },
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
      await requireRecentAuthentication(request.ctx);
      await removeOwnPasskey(request.ctx, request.params.passkeyId);
      return reply.code(204).send(null);
    },
  );
};

/** Renames a passkey, or makes it a second factor or not, which its owner is told. @throws Problem NOT_FOUND */
async function changeOwnPasskey(tx: TxCtx, id: PasskeyId, change: { name?: string; secondFactor?: boolean }) {
  const { userId } = customerOf(tx);
  const before = await savedPasskey(tx, id);
  await changePasskey(tx, userId, { id, ...change });
  const after = await savedPasskey(tx, id);
  if (after.secondFactor === before.secondFactor) return after;
  await credentialChanged(tx, userId, 'passkey_changed');
  if (after.secondFactor) return { ...after, ...(await firstCodes(tx, userId)) };
  await factorRemoved(tx, userId);
  return after;
}

async function savedPasskey(tx: TxCtx, id: PasskeyId): Promise<Static<typeof PasskeyRecord>> {
  const passkey = (await ownPasskeys(tx, customerOf(tx).userId)).find((own) => own.id === id);
  if (!passkey) throw problem('NOT_FOUND');
  return passkey;
}

async function creationOptions(ctx: Ctx) {
  const { userId } = customerOf(ctx);
  const rp = await relyingPartyOf(ctx);
  const user = (await usersById(ctx, [userId])).get(userId);
  const account = user?.email ?? user?.username ?? user?.phone ?? rp.name;
  return transaction(ctx, (tx) =>
    passkeyCreationOptions(tx, { userId, name: account, displayName: user?.displayName ?? account }, rp),
  );
}
