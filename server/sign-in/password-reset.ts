import { type Static, Type } from 'typebox';
import { proofField } from '#attempts';
import { projectOf } from '#environments';
import { emit } from '#events';
import { enrolledSecondFactors } from '#factors';
import { findIdentifier } from '#identifiers';
import { credentialChanged } from '#notices';
import { checkPolicy, findPassword, hashPassword, Password, setPassword } from '#passwords';
import { lockUser, usersById } from '#people';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import { Identifier, normalise } from '#platform/identifiers.ts';
import type { UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import {
  type NewAddressChallenge,
  openAddressChallenge,
  type Proof,
  type ProvenAddressChallenge,
  proofFields,
  requireProvable,
  withProof,
} from '#proofs';
import { scopeFields } from '#requests';
import { askByMessage, Passage, requireMethod } from '#ways';
import { addressProven } from './verification.ts';

export const Forgot = Type.Object(
  { identifier: Identifier, ...proofField, ...scopeFields },
  { additionalProperties: false },
);
export const Reset = Type.Object(
  { ...proofFields, newPassword: Password, ...scopeFields },
  { additionalProperties: false },
);

const NOBODY: UserId = 'usr_00000000000000000000000000';

/**
 * Sends a link and a code for choosing a new password. Without an account the response and the work are the same, but
 * nothing is sent. For a username, the message goes to the account's address, which the response does not reveal.
 * @throws Problem METHOD_DISABLED, RATE_LIMIT_EXCEEDED
 */
export async function forgotPassword(ctx: Ctx, request: Static<typeof Forgot>) {
  const { proof } = request;
  const flowOf = async () => {
    const identifier = normalise(request.identifier);
    const found = await findIdentifier(ctx, identifier);
    const user = (await usersById(ctx, [found?.userId ?? NOBODY])).get(found?.userId ?? NOBODY);
    const asked =
      user && (await isSecondFactor(ctx, user, identifier)) ? { kind: 'email', value: identifier.value } : identifier;
    return { ...resetFlow(user, asked), typed: identifier.value };
  };
  return askByMessage(ctx, 'password_forgotten', { proof, flowOf });
}

type Reachable = { userId: UserId; email: string | null; phone: string | null; locale: string | null };

/**
 * A phone that is the second factor can't reset the password, because it would then be both factors of the next
 * sign-in. The message goes to the account's email address instead, if it has one.
 */
async function isSecondFactor(ctx: Ctx, { userId }: Reachable, asked: { kind: string }): Promise<boolean> {
  return asked.kind === 'phone' && (await enrolledSecondFactors(ctx, userId)).some(({ type }) => type === 'phone');
}

function resetFlow(user: Reachable | undefined, asked: { kind: string; value: string }): NewAddressChallenge {
  const channel = asked.kind === 'phone' ? 'phone' : 'email';
  const address = user && (channel === 'phone' ? user.phone : user.email);
  return {
    purpose: 'reset_password',
    channel,
    address: address ?? asked.value,
    userId: user?.userId ?? null,
    locale: user?.locale ?? null,
    ...(!address && { decoy: { tell: false } }),
  };
}

/**
 * Mails a reset for an administrator; only the owner chooses the password (PW-6).
 * @throws Problem METHOD_DISABLED, CONFLICT without an address
 */
export async function startReset(tx: TxCtx, userId: UserId): Promise<void> {
  const way = new Passage(tx, 'password_reset_sent');
  way.passed('method', await requireMethod(tx, 'password'));
  way.end();
  const user = (await usersById(tx, [userId])).get(userId);
  if (!user?.email) throw problem('CONFLICT', 'The account has no email address for a reset.');
  await openAddressChallenge(tx, resetFlow(user, { kind: 'email', value: user.email }));
}

/**
 * Sets a new password with the mailed link or code. Ends every session; second factors stay and are required at the
 * next sign-in (ASVS 6.4.3; PW-7).
 * @throws Problem METHOD_DISABLED, INVALID_TOKEN, INVALID_CODE, WEAK_PASSWORD
 */
export async function resetPassword(ctx: Ctx, proof: Proof, newPassword: string): Promise<void> {
  const { settings } = await projectOf(ctx.system, ctx.scope);
  const way = await new Passage(ctx, 'password_reset').open(ctx);
  way.passed('credential', await requireProvable(ctx, proof, ['reset_password']));
  way.passed('new_password', await checkPolicy(ctx, settings, newPassword));
  const hash = await hashPassword(ctx, newPassword);
  await withProof(ctx, { proof, purposes: ['reset_password'] }, async (tx, challenge) => {
    way.end();
    const { userId } = challenge;
    if (userId === null) throw problem('INVALID_TOKEN');
    await requireStillTheirs(tx, userId, challenge);
    await addressProven(tx, { ...challenge, userId }, 'anybody');
    await replacePassword(tx, userId, hash);
  });
}

/**
 * A message to an address that the user no longer has proves nothing.
 * @throws Problem INVALID_CODE
 */
async function requireStillTheirs(
  tx: TxCtx,
  userId: UserId,
  { channel, address }: Pick<ProvenAddressChallenge, 'channel' | 'address'>,
): Promise<void> {
  const owner = await findIdentifier(tx, { kind: channel, value: address });
  if (owner?.userId !== userId) throw problem('INVALID_CODE');
}

/**
 * Changes the password of a signed-in user; the other sessions end. The caller has checked the old password.
 * @param change.checkedAt when the checked password was set; null: there was none
 * @throws Problem WEAK_PASSWORD; INVALID_CREDENTIALS if the password was changed since the check
 */
export async function changePassword(
  ctx: Ctx,
  userId: UserId,
  { newPassword, checkedAt }: { newPassword: string; checkedAt: Date | null },
): Promise<void> {
  const { settings } = await projectOf(ctx.system, ctx.scope);
  const user = (await usersById(ctx, [userId])).get(userId);
  await checkPolicy(
    ctx,
    settings,
    newPassword,
    [user?.email, user?.username, user?.phone].filter((fact) => fact != null),
  );
  const hash = await hashPassword(ctx, newPassword);
  await transaction(ctx, async (tx) => {
    await lockUser(tx, userId);
    const stored = await findPassword(tx, userId);
    if (stored?.changedAt.getTime() !== checkedAt?.getTime())
      throw problem('INVALID_CREDENTIALS', 'The password was changed by another request.');
    await replacePassword(tx, userId, hash);
  });
}

async function replacePassword(tx: TxCtx, userId: UserId, hash: string): Promise<void> {
  await lockUser(tx, userId);
  await setPassword(tx, userId, hash);
  await emit(tx, 'user.password.changed', { userId });
  await credentialChanged(tx, userId, 'password');
}
