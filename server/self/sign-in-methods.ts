import { connectionNames, isConnection } from '#connections';
import { enabledProviders } from '#identity-providers';
import { type LinkedIdentityId, listIdentities, unlinkIdentity } from '#linked-identities';
import { credentialChanged } from '#notices';
import { listPasskeys, type PasskeyId, removePasskey } from '#passkeys';
import { findPassword } from '#passwords';
import { lockUser, usersById } from '#people';
import { type Ctx, customerOf, type TxCtx, transaction } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import type { SignInMethod } from '#settings';
import { openMethods } from '#sign-in';
import { factorRemoved } from './recovery-codes.ts';

/** The number of ways in which a user could sign in to the project, with the methods it has enabled. */
async function waysIn(tx: TxCtx, userId: UserId): Promise<number> {
  const methods = await openMethods(tx);
  const open = (method: SignInMethod) => methods.includes(method);
  const user = (await usersById(tx, [userId])).get(userId);
  const password = open('password') && (await findPassword(tx, userId)) ? 1 : 0;
  const email =
    user?.email && user.emailVerified && (open('magic_link') || open('email_code') || open('password')) ? 1 : 0;
  const phone = user?.phone && user.phoneVerified && open('phone') ? 1 : 0;
  const passkeys = open('passkey') ? (await listPasskeys(tx, userId)).length : 0;
  const identities = open('social') ? await usableIdentities(tx, userId) : 0;
  return password + email + phone + passkeys + identities;
}

/** Identities at providers that still exist and are enabled. */
async function usableIdentities(tx: TxCtx, userId: UserId): Promise<number> {
  const offered = new Set((await enabledProviders(tx)).map(({ id }) => id));
  return (await listIdentities(tx, userId)).filter(({ provider }) => offered.has(provider)).length;
}

/**
 * Removes a credential unless it is the last way to sign in. Serialises removals of one user, so that two at once leave
 * one.
 * @throws Problem LAST_SIGN_IN_METHOD, and what `remove` throws
 */
export async function removeWayIn(
  ctx: Ctx | TxCtx,
  userId: UserId,
  remove: (tx: TxCtx) => Promise<void>,
): Promise<void> {
  await transaction(ctx, async (tx) => {
    await lockUser(tx, userId);
    await remove(tx);
    if ((await waysIn(tx, userId)) === 0) throw problem('LAST_SIGN_IN_METHOD');
  });
}

/**
 * Unlinks an identity.
 * @throws Problem NOT_FOUND, LAST_SIGN_IN_METHOD, AUTHORIZATION_DENIED for an account at a connection: otherwise its person
 * could evade a required connection
 */
export function removeIdentity(ctx: Ctx, id: LinkedIdentityId): Promise<void> {
  const { userId } = customerOf(ctx);
  return removeWayIn(ctx, userId, async (tx) => {
    const identity = (await listIdentities(tx, userId)).find((own) => own.id === id);
    if (identity && isConnection(identity.provider) && (await connectionNames(tx, [identity.provider])).size > 0)
      throw problem('AUTHORIZATION_DENIED', 'Your organization manages this account.');
    await unlinkIdentity(tx, userId, id);
    await credentialChanged(tx, userId, 'identity_unlinked');
  });
}

/**
 * Removes a passkey.
 * @throws Problem NOT_FOUND, LAST_SIGN_IN_METHOD
 */
export function removeOwnPasskey(ctx: Ctx, id: PasskeyId): Promise<void> {
  const { userId } = customerOf(ctx);
  return removeWayIn(ctx, userId, async (tx) => {
    await removePasskey(tx, userId, id);
    await factorRemoved(tx, userId);
    await credentialChanged(tx, userId, 'passkey_removed');
  });
}
