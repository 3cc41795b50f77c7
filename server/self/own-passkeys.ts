import { type Static, Type } from 'typebox';
import { credentialChanged, deviceOf } from '#notices';
import { addPasskey, changePasskey, type PasskeyId, passkeyCreationOptions, RegistrationResponse } from '#passkeys';
import { lockUser, usersById } from '#people';
import { type Ctx, customerOf, type TxCtx, transaction } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { secondFactorProven } from '#sessions';
import { relyingPartyOf, requireMethod } from '#ways';
import { factorRemoved, firstCodes } from './recovery-codes.ts';
import { ownPasskeys, type PasskeyRecord } from './security.ts';

export const PasskeyName = Type.String({ minLength: 1, maxLength: 100 });
export const SecondFactor = Type.Boolean({ description: 'True if it is also a second factor after a password.' });

type SavedPasskey = Static<typeof PasskeyRecord> & { recoveryCodes?: string[] };

/** The credential a browser created, and the user's name for it. */
export const NewPasskey = Type.Object(
  {
    flowId: IdSchema('chl'),
    response: RegistrationResponse,
    name: Type.Optional(PasskeyName),
    secondFactor: Type.Optional(SecondFactor),
  },
  { additionalProperties: false },
);

/**
 * Adds a passkey to the signed-in user; without a name it is called after what made it, or after the browser.
 * @returns with recovery codes if it is the first second factor
 * @throws Problem INVALID_CODE, ALREADY_EXISTS
 */
export async function addOwnPasskey(ctx: Ctx, { secondFactor = false, ...made }: Static<typeof NewPasskey>) {
  const { userId, sessionId } = customerOf(ctx);
  const rp = await relyingPartyOf(ctx);
  const device = ctx.trace.userAgent === null ? 'Passkey' : deviceOf(ctx.trace.userAgent);
  return transaction(ctx, async (tx) => {
    await lockUser(tx, userId);
    const id = await addPasskey(tx, { userId, sessionId }, { ...made, secondFactor, device }, rp);
    await credentialChanged(tx, userId, 'passkey_added');
    if (secondFactor) await secondFactorProven(tx, sessionId, ['user']);
    const codes = secondFactor ? await firstCodes(tx, userId) : {};
    return { ...(await savedPasskey(tx, id)), ...codes };
  });
}

/**
 * Renames a passkey, or changes whether it is a second factor; the user is notified of the latter.
 * @throws Problem NOT_FOUND
 */
export async function changeOwnPasskey(
  tx: TxCtx,
  id: PasskeyId,
  change: { name?: string; secondFactor?: boolean },
): Promise<SavedPasskey> {
  const { userId } = customerOf(tx);
  await lockUser(tx, userId);
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

/**
 * Options for `navigator.credentials.create()`.
 * @throws Problem METHOD_DISABLED, CONFLICT when there are too many
 */
export async function passkeyCreation(ctx: Ctx) {
  await requireMethod(ctx, 'passkey');
  const { userId, sessionId } = customerOf(ctx);
  const rp = await relyingPartyOf(ctx);
  const user = (await usersById(ctx, [userId])).get(userId);
  const account = user?.email ?? user?.username ?? user?.phone ?? rp.name;
  return transaction(ctx, (tx) =>
    passkeyCreationOptions(tx, { userId, sessionId, name: account, displayName: user?.displayName ?? account }, rp),
  );
}
