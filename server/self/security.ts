import { type Static, Type } from 'typebox';
import { isAnotherThan } from '#admission';
import { countAttempt } from '#attempts';
import { listDevices, removeDevices } from '#devices';
import { projectOf } from '#environments';
import { emit } from '#events';
import { addPhoneFactor, confirmTotp, type FactorId, listFactors, removeFactor } from '#factors';
import { credentialChanged } from '#notices';
import { listPasskeys } from '#passkeys';
import { findPassword, verifyPassword } from '#passwords';
import { lockUser } from '#people';
import { CountryOfAddress } from '#platform/countries.ts';
import { type Ctx, customerOf, type TxCtx, transaction } from '#platform/ctx.ts';
import { normalisePhone } from '#platform/identifiers.ts';
import { type Id, IdSchema, type UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { type AddressChallengeId, digitsOf, hintOf, startAddressChallenge, withProof } from '#proofs';
import { newRecoveryCodes, recoveryCodesLeft } from '#recovery-codes';
import { findSession, secondFactorProven, sessionsOfUser } from '#sessions';
import { changePassword } from '#sign-in';
import { factorRemoved, firstCodes } from './recovery-codes.ts';

export const PasskeyRecord = Type.Object(
  {
    id: IdSchema('psk'),
    name: Type.String(),
    synced: Type.Boolean({ description: 'Synced by a passkey provider to several devices.' }),
    secondFactor: Type.Boolean(),
    createdAt: Instant,
    lastUsedAt: nullable(Instant),
  },
  { title: 'Passkey' },
);

export const SessionRecord = Type.Object(
  {
    id: IdSchema('ses'),
    current: Type.Boolean(),
    amr: Type.Array(Type.String()),
    acr: Type.String(),
    authTime: Instant,
    createdAt: Instant,
    lastSeenAt: Instant,
    expiresAt: Instant,
    ip: nullable(Type.String()),
    userAgent: nullable(Type.String()),
    country: CountryOfAddress,
  },
  { title: 'OwnSession' },
);

/** The protection of a user's account. */
export const Security = Type.Object({
  hasPassword: Type.Boolean(),
  passwordChangedAt: nullable(Instant),
  mfa: Type.Object({
    enabled: Type.Boolean(),
    factors: Type.Array(
      Type.Object({
        id: IdSchema('fac'),
        type: Type.Enum(['totp', 'phone']),
        hint: nullable(Type.String()),
        restricted: Type.Boolean({ description: 'A phone is weaker than an app or a passkey.' }),
        createdAt: Instant,
        lastUsedAt: nullable(Instant),
      }),
    ),
  }),
  passkeys: Type.Array(PasskeyRecord),
  recoveryCodesLeft: Type.Integer(),
  rememberedDevices: Type.Array(
    Type.Object({
      id: IdSchema('dev'),
      ip: nullable(Type.String()),
      userAgent: nullable(Type.String()),
      createdAt: Instant,
      lastUsedAt: Instant,
      expiresAt: Instant,
    }),
  ),
  sessions: Type.Array(SessionRecord, { description: 'The newest hundred.' }),
});

type StoredSession = Omit<Static<typeof SessionRecord>, 'current'>;

/** A session in the list of its user. */
export function ownSession(ctx: Ctx): (session: StoredSession) => Static<typeof SessionRecord> {
  const { sessionId } = customerOf(ctx);
  return (session) => ({ ...session, current: session.id === sessionId });
}

export async function securityOf(ctx: Ctx): Promise<Static<typeof Security>> {
  const { userId } = customerOf(ctx);
  const [password, factors, passkeys, codes, devices, sessions] = await Promise.all([
    findPassword(ctx, userId),
    listFactors(ctx, userId),
    ownPasskeys(ctx, userId),
    recoveryCodesLeft(ctx, userId),
    listDevices(ctx, userId),
    sessionsOfUser(ctx, userId, { limit: 100 }),
  ]);
  return {
    hasPassword: password !== undefined,
    passwordChangedAt: password?.changedAt.toISOString() ?? null,
    mfa: {
      enabled: factors.length > 0 || passkeys.some(({ secondFactor }) => secondFactor),
      factors: factors.map((factor) => ({
        id: factor.id,
        type: factor.type,
        hint: factor.phone && hintOf(factor.phone),
        restricted: factor.type === 'phone',
        createdAt: factor.createdAt.toISOString(),
        lastUsedAt: factor.lastUsedAt?.toISOString() ?? null,
      })),
    },
    passkeys,
    recoveryCodesLeft: codes,
    rememberedDevices: devices,
    sessions: sessions.map(ownSession(ctx)),
  };
}

/** A person's passkeys as records. */
export async function ownPasskeys(ctx: Ctx | TxCtx, userId: UserId): Promise<Static<typeof PasskeyRecord>[]> {
  return (await listPasskeys(ctx, userId)).map(({ id, name, synced, secondFactor, createdAt, lastUsedAt }) => ({
    id,
    name,
    synced,
    secondFactor,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  }));
}

/**
 * Sets or changes the password; requires the current one, if any (ASVS 6.2.3).
 * @throws Problem INVALID_CREDENTIALS, WEAK_PASSWORD
 */
export async function changeOwnPassword(
  ctx: Ctx,
  { currentPassword, newPassword }: { currentPassword?: string; newPassword: string },
): Promise<void> {
  const { userId } = customerOf(ctx);
  const stored = await findPassword(ctx, userId);
  if (stored) {
    const attempt = await countAttempt(ctx, { way: 'password', userId });
    const matches = await verifyPassword(ctx, stored.hash, currentPassword ?? '');
    if (!matches) throw problem('INVALID_CREDENTIALS', 'The current password is wrong.');
    attempt.forget();
  }
  await changePassword(ctx, userId, { newPassword, checkedAt: stored?.changedAt ?? null });
}

/**
 * Confirms an authenticator app.
 * @returns recovery codes, with the first factor
 * @throws Problem INVALID_CODE, NOT_FOUND, ALREADY_EXISTS
 */
export async function confirmOwnTotp(
  ctx: Ctx,
  { id, code }: { id: FactorId; code: string },
): Promise<{ recoveryCodes?: string[] }> {
  const { userId, sessionId } = customerOf(ctx);
  const attempt = await countAttempt(ctx, { way: 'totp_enrolment', userId });
  const result = await transaction(ctx, async (tx) => {
    await lockUser(tx, userId);
    await confirmTotp(tx, userId, { id, code: digitsOf(code) });
    await credentialChanged(tx, userId, 'totp_added');
    await secondFactorProven(tx, sessionId, ['otp']);
    return firstCodes(tx, userId);
  });
  attempt.forget();
  return result;
}

/**
 * Sends a code to a phone that is to be a second factor.
 * @throws Problem METHOD_DISABLED, RATE_LIMIT_EXCEEDED
 */
export async function startPhoneFactor(ctx: Ctx, typed: string) {
  const { settings } = await projectOf(ctx.system, ctx.scope);
  if (settings.mfa === 'off' || !settings.mfaFactors.includes('phone')) throw problem('METHOD_DISABLED');
  const { userId } = customerOf(ctx);
  return startAddressChallenge(ctx, {
    purpose: 'add_phone_factor',
    channel: 'phone',
    address: normalisePhone(typed),
    userId,
  });
}

/** @throws Problem INVALID_CODE, ALREADY_EXISTS */
export async function confirmPhoneFactor(
  ctx: Ctx,
  { flowId, code }: { flowId: AddressChallengeId; code: string },
): Promise<{ recoveryCodes?: string[] }> {
  const { userId, sessionId } = customerOf(ctx);
  const proof = { flowId, code: digitsOf(code) };
  return withProof(ctx, { proof, purposes: ['add_phone_factor'] }, async (tx, challenge) => {
    if (challenge.userId !== userId) throw problem('INVALID_CODE');
    await addPhoneFactor(tx, userId, challenge.address);
    await credentialChanged(tx, userId, 'phone_factor_added');
    // A phone that was the first factor of the session is no second authenticator.
    const session = await findSession(tx, sessionId);
    if (session && isAnotherThan('phone', session.amr)) await secondFactorProven(tx, sessionId, ['sms']);
    return firstCodes(tx, userId);
  });
}

/**
 * Removes a factor.
 * @throws Problem NOT_FOUND
 */
export async function removeOwnFactor(ctx: Ctx, kind: 'totp' | 'phone'): Promise<void> {
  const { userId } = customerOf(ctx);
  await transaction(ctx, async (tx) => {
    await lockUser(tx, userId);
    await removeFactor(tx, userId, kind);
    await factorRemoved(tx, userId);
    await credentialChanged(tx, userId, kind === 'totp' ? 'totp_removed' : 'phone_factor_removed');
  });
}

export async function renewRecoveryCodes(ctx: Ctx): Promise<{ recoveryCodes: string[] }> {
  const { userId } = customerOf(ctx);
  return transaction(ctx, async (tx) => {
    const recoveryCodes = await newRecoveryCodes(tx, userId);
    await credentialChanged(tx, userId, 'recovery_codes');
    return { recoveryCodes };
  });
}

/**
 * Deletes a remembered device, which requires the second factor again.
 * @throws Problem NOT_FOUND
 */
export async function removeDevice(ctx: Ctx, deviceId: Id<'dev'>): Promise<void> {
  const { userId } = customerOf(ctx);
  await transaction(ctx, async (tx) => {
    await removeDevices(tx, userId, deviceId);
    await emit(tx, 'user.device.forgotten', { userId });
  });
}
