import { type Static, Type } from 'typebox';
import { throttledAt, unlock, ways } from '#attempts';
import { type FactorId, listFactors, removeFactor } from '#factors';
import { type LinkedIdentityId, listIdentities, unlinkIdentity } from '#linked-identities';
import { changeMember, membersById, requireAuthority } from '#members';
import { credentialChanged } from '#notices';
import { type PasskeyId, removePasskey } from '#passkeys';
import { findPassword } from '#passwords';
import { getProfile, type Profile } from '#people';
import { type Ctx, transaction } from '#platform/ctx.ts';
import { normalise } from '#platform/identifiers.ts';
import { IdSchema, type MemberId, type UserId } from '#platform/ids.ts';
import { found, problem } from '#platform/problem.ts';
import { profileFields } from '#platform/profile-fields.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { hintOf, startAddressChallenge } from '#proofs';
import { recoveryCodesLeft } from '#recovery-codes';
import { factorRemoved } from './recovery-codes.ts';
import { ownPasskeys, PasskeyRecord } from './security.ts';
import { removeWayIn } from './sign-in-methods.ts';

/** The account of a member as administrators see it: never a secret, only what there is. */
export const MemberAccount = Type.Object(
  {
    profile: Type.Object(profileFields),
    hasPassword: Type.Boolean(),
    passwordChangedAt: nullable(Instant),
    factors: Type.Array(
      Type.Object({
        id: IdSchema('fac'),
        type: Type.Enum(['totp', 'phone']),
        hint: nullable(Type.String({ description: 'The end of the phone number.' })),
        createdAt: Instant,
        lastUsedAt: nullable(Instant),
      }),
    ),
    recoveryCodesLeft: Type.Integer(),
    passkeys: Type.Array(PasskeyRecord),
    linkedIdentities: Type.Array(
      Type.Object({
        id: IdSchema('idn'),
        provider: Type.String(),
        issuer: Type.String(),
        subject: Type.String(),
        email: nullable(Type.String()),
        linkedAt: Instant,
      }),
    ),
    throttled: Type.Array(
      Type.Object({
        way: Type.Enum([...ways]),
        source: nullable(Type.String({ description: 'Refused from this source only; null: from everywhere.' })),
        until: Instant,
      }),
      { description: 'Attempts that are refused now, because there were too many.' },
    ),
  },
  { title: 'MemberAccount' },
);
type MemberAccount = Static<typeof MemberAccount>;

/**
 * The account of a member.
 * @throws Problem NOT_FOUND, AUTHORIZATION_DENIED, also before the person enters the project
 */
export async function accountOf(ctx: Ctx, memberId: MemberId): Promise<MemberAccount> {
  const { userId } = await allowed(ctx, 'member.account.read', memberId);
  const [profile, password, factors, passkeys, codes, identities] = await Promise.all([
    getProfile(ctx, userId),
    findPassword(ctx, userId),
    listFactors(ctx, userId),
    ownPasskeys(ctx, userId),
    recoveryCodesLeft(ctx, userId),
    listIdentities(ctx, userId),
  ]);
  const throttled = await throttledAt(ctx, { userId, identifiers: identifiersIn(profile) });
  return {
    profile,
    hasPassword: password !== undefined,
    passwordChangedAt: password?.changedAt.toISOString() ?? null,
    factors: factors.map(({ id, type, phone: number, createdAt: created, lastUsedAt }) => ({
      id,
      type,
      hint: number && hintOf(number),
      createdAt: created.toISOString(),
      lastUsedAt: lastUsedAt?.toISOString() ?? null,
    })),
    recoveryCodesLeft: codes,
    passkeys,
    linkedIdentities: identities,
    throttled: throttled.map(({ until, ...rest }) => ({ ...rest, until: until.toISOString() })),
  };
}

/** @throws Problem NOT_FOUND, AUTHORIZATION_DENIED */
async function allowed(
  ctx: Ctx,
  act: 'member.account.read' | 'member.verification.send',
  memberId: MemberId,
): Promise<{ userId: UserId }> {
  const { userId } = found((await membersById(ctx, [memberId]))[0]);
  await transaction(ctx, (tx) => requireAuthority(tx, act, { userId }));
  return { userId };
}

function identifiersIn({ email, phone, username }: Pick<Profile, 'email' | 'phone' | 'username'>) {
  return [email, phone, username].flatMap((value) => (value === null ? [] : [normalise(value)]));
}

/**
 * Removes an authenticator app or a phone from a member's second factors.
 * @throws Problem NOT_FOUND, AUTHORIZATION_DENIED
 */
export async function removeMemberFactor(ctx: Ctx, memberId: MemberId, factorId: FactorId): Promise<void> {
  await changeMember(ctx, memberId, async (tx, { userId }) => {
    await requireAuthority(tx, 'member.factor.remove', { userId });
    const factor = (await listFactors(tx, userId)).find(({ id }) => id === factorId);
    if (!factor) throw problem('NOT_FOUND');
    await removeFactor(tx, userId, factor.type);
    await factorRemoved(tx, userId);
    await credentialChanged(tx, userId, factor.type === 'totp' ? 'totp_removed' : 'phone_factor_removed');
  });
}

/**
 * Removes a passkey of a member.
 * @throws Problem NOT_FOUND, AUTHORIZATION_DENIED, LAST_SIGN_IN_METHOD
 */
export async function removeMemberPasskey(ctx: Ctx, memberId: MemberId, passkeyId: PasskeyId): Promise<void> {
  await changeMember(ctx, memberId, async (tx, { userId }) => {
    await requireAuthority(tx, 'member.passkey.remove', { userId });
    await removeWayIn(tx, userId, async () => {
      await removePasskey(tx, userId, passkeyId);
      await factorRemoved(tx, userId);
      await credentialChanged(tx, userId, 'passkey_removed');
    });
  });
}

/**
 * Unlinks an account at an identity provider from a member.
 * @throws Problem NOT_FOUND, AUTHORIZATION_DENIED, LAST_SIGN_IN_METHOD
 */
export async function removeMemberIdentity(ctx: Ctx, memberId: MemberId, id: LinkedIdentityId): Promise<void> {
  await changeMember(ctx, memberId, async (tx, { userId }) => {
    await requireAuthority(tx, 'member.identity.remove', { userId });
    await removeWayIn(tx, userId, async () => {
      await unlinkIdentity(tx, userId, id);
      await credentialChanged(tx, userId, 'identity_unlinked');
    });
  });
}

/**
 * Resets the counted attempts at the account of a member, so that the person can try again at once.
 * @throws Problem NOT_FOUND, AUTHORIZATION_DENIED
 */
export async function unlockMember(ctx: Ctx, memberId: MemberId): Promise<void> {
  let reset: (after: Ctx) => Promise<void> = async () => undefined;
  await changeMember(ctx, memberId, async (tx, { userId }) => {
    await requireAuthority(tx, 'member.unlock', { userId });
    reset = await unlock(tx, { userId, identifiers: identifiersIn(await getProfile(tx, userId)) });
  });
  await reset(ctx);
}

/**
 * Mails a member a link that verifies their address.
 * @throws Problem NOT_FOUND, CONFLICT without an address or if it is verified, AUTHORIZATION_DENIED,
 * RATE_LIMIT_EXCEEDED
 */
export async function sendVerification(ctx: Ctx, memberId: MemberId): Promise<void> {
  const { userId } = await allowed(ctx, 'member.verification.send', memberId);
  const { email, emailVerified, locale } = await getProfile(ctx, userId);
  if (email === null) throw problem('CONFLICT', 'This member has no email address.');
  if (emailVerified) throw problem('CONFLICT', 'The email address is verified already.');
  await startAddressChallenge(ctx, { purpose: 'verify_email', channel: 'email', address: email, userId, locale });
}
