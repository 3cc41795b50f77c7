import { type Static, Type } from 'typebox';
import { endWithCredentials } from '#credential-changes';
import { projectOf } from '#environments';
import { emit } from '#events';
import { findIdentifier } from '#identifiers';
import { sendMessage } from '#messages';
import { checkPolicy, hashPassword, Password } from '#passwords';
import { createUser, replaceAddress, updateProfile, usersById } from '#people';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import { announce } from '#platform/feed.ts';
import {
  type NormalisedIdentifier,
  normalise,
  normaliseEmail,
  normalisePhone,
  Username,
} from '#platform/identifiers.ts';
import type { MemberId, OrganizationId, UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { addressFields, Metadata, profileFields, requireSmall } from '#platform/profile-fields.ts';
import { inScope } from '#platform/scoped.ts';
import { requireAuthority } from './authority.ts';
import { addMember, changeMember, findMember, getMember, type KnownAs, knownAs, type Member } from './members.ts';
import { lockRoles, RoleKey } from './roles.ts';

const { username: _username, ...profile } = profileFields;

export const NewMember = Type.Object(
  {
    ...addressFields,
    username: Type.Optional(Username),
    password: Type.Optional(Password),
    ...Type.Partial(Type.Object(profile)).properties,
    roles: Type.Optional(Type.Array(RoleKey, { maxItems: 50, uniqueItems: true })),
    metadata: Type.Optional(Metadata),
  },
  { additionalProperties: false },
);
type NewMember = Static<typeof NewMember>;

export const MemberChanges = Type.Object(
  {
    ...addressFields,
    username: Type.Optional(profileFields.username),
    ...Type.Partial(Type.Object(profile)).properties,
    metadata: Type.Optional(Metadata),
  },
  { additionalProperties: false, minProperties: 1 },
);
type MemberChanges = Static<typeof MemberChanges>;

type Known = NormalisedIdentifier & { verified: boolean };

/**
 * The identifiers in a record, normalised.
 * @throws Problem VALIDATION_FAILED
 */
function identifiersIn({ email, emailVerified, phone, phoneVerified, username }: NewMember): Known[] {
  return [
    ...(email === undefined
      ? []
      : [{ kind: 'email' as const, value: normaliseEmail(email), verified: emailVerified ?? false }]),
    ...(phone === undefined
      ? []
      : [{ kind: 'phone' as const, value: normalisePhone(phone), verified: phoneVerified ?? false }]),
    ...(username === undefined
      ? []
      : [{ kind: 'username' as const, value: normalise(username).value, verified: true }]),
  ];
}

/**
 * Adds a person to the project. If one of the identifiers belongs to a user of the workspace, that user becomes a
 * member. The account is not changed, and the project can't see it until the person enters the project.
 * @throws Problem ALREADY_EXISTS for a member, VALIDATION_FAILED, WEAK_PASSWORD, AUTHORIZATION_DENIED,
 * PAYLOAD_TOO_LARGE
 */
export async function provisionMember(ctx: Ctx, record: NewMember): Promise<Member> {
  const identifiers = identifiersIn(record);
  if (identifiers.length === 0) {
    const message = 'expected `email`, `phone` or `username`';
    throw problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: '/body', message }] } });
  }
  requireSmall('customData', record.customData);
  requireSmall('metadata', record.metadata);
  const passwordHash = await hashOf(ctx, record, identifiers);
  return transaction(ctx, async (tx) => (await enterRecord(tx, record, { identifiers, passwordHash })).member);
}

/**
 * Adds a person without a password, as {@link provisionMember} does.
 * @param homeOrganizationId the organization that a new account is made for
 * @returns the member, and whether the account is new
 * @throws Problem ALREADY_EXISTS for a member, VALIDATION_FAILED, AUTHORIZATION_DENIED
 */
export function addManagedMember(
  tx: TxCtx,
  record: Omit<NewMember, 'password'>,
  homeOrganizationId?: OrganizationId,
): Promise<{ member: Member; isNewAccount: boolean }> {
  return enterRecord(tx, record, { identifiers: identifiersIn(record), passwordHash: null, homeOrganizationId });
}

type Entered = {
  identifiers: readonly Known[];
  passwordHash: string | null;
  homeOrganizationId?: OrganizationId | undefined;
};

async function enterRecord(
  tx: TxCtx,
  record: NewMember,
  { identifiers, ...account }: Entered,
): Promise<{ member: Member; isNewAccount: boolean }> {
  const roles = await lockRoles(tx, record.roles ?? [], 'refuse');
  await requireAuthority(tx, 'member.add', { grants: roles.flatMap(({ permissions }) => permissions) });
  const known = await knownPerson(tx, identifiers);
  const userId = known?.userId ?? (await newUser(tx, record, { identifiers, ...account }));
  if (await findMember(tx, userId)) throw problem('ALREADY_EXISTS', 'This person is already a member of the project.');
  const memberId = await addMember(tx, userId, record.roles ?? []);
  if (known) await showOnlyAs(tx, memberId, known.named);
  if (record.metadata) await setMetadata(tx, memberId, record.metadata);
  return { member: await getMember(tx, memberId), isNewAccount: !known };
}

async function hashOf(ctx: Ctx, { password }: NewMember, identifiers: readonly Known[]): Promise<string | null> {
  if (password === undefined) return null;
  const { settings } = await projectOf(ctx.system, ctx.scope);
  await checkPolicy(
    ctx,
    settings,
    password,
    identifiers.map(({ value }) => value),
  );
  return hashPassword(ctx, password);
}

/**
 * The user that the identifiers belong to, and how the project sees that user.
 * @throws Problem ALREADY_EXISTS if they belong to several users
 */
async function knownPerson(
  tx: TxCtx,
  identifiers: readonly Known[],
): Promise<{ userId: UserId; named: KnownAs } | undefined> {
  const found = await Promise.all(identifiers.map((identifier) => findIdentifier(tx, identifier)));
  const owners = [...new Set(found.flatMap((identifier) => (identifier ? [identifier.userId] : [])))];
  if (owners.length > 1) throw problem('ALREADY_EXISTS', 'The identifiers belong to different accounts.');
  const [userId] = owners;
  return userId && { userId, named: knownAs(identifiers.filter((_, index) => found[index] !== undefined)) };
}

function newUser(
  tx: TxCtx,
  record: NewMember,
  { identifiers, passwordHash, homeOrganizationId }: Entered,
): Promise<UserId> {
  const address =
    identifiers.flatMap(({ kind, ...rest }) => (kind === 'username' ? [] : [{ kind, ...rest }]))[0] ?? null;
  const others = identifiers.filter(({ kind }) => kind !== address?.kind);
  const home = homeOrganizationId && { homeOrganizationId };
  return createUser(tx, { address, others, passwordHash, profile: record, ...home });
}

async function showOnlyAs(tx: TxCtx, memberId: MemberId, named: KnownAs): Promise<void> {
  await tx.db
    .updateTable('members')
    .set({ known_as: JSON.stringify(named) })
    .where(inScope(tx))
    .where('id', '=', memberId)
    .execute();
}

async function setMetadata(tx: TxCtx, memberId: MemberId, metadata: Record<string, unknown>): Promise<void> {
  await tx.db
    .updateTable('members')
    .set({ metadata: JSON.stringify(metadata) })
    .where(inScope(tx))
    .where('id', '=', memberId)
    .execute();
}

/**
 * Changes the given fields of a member: the profile, the metadata (replaced whole), and the identifiers.
 * @throws Problem NOT_FOUND, ALREADY_EXISTS, AUTHORIZATION_DENIED for addresses of a member with more permissions than
 * the actor, PAYLOAD_TOO_LARGE
 */
export function updateMember(ctx: Ctx | TxCtx, memberId: MemberId, changes: MemberChanges): Promise<Member> {
  const { email, emailVerified, phone, phoneVerified, metadata, ...profileChanges } = changes;
  requireSmall('metadata', metadata);
  const unproven = [
    email === undefined && emailVerified !== undefined && 'email',
    phone === undefined && phoneVerified !== undefined && 'phone',
  ];
  const errors = unproven.flatMap((name) =>
    name ? [{ pointer: `/body/${name}`, message: `is required with \`${name}Verified\`` }] : [],
  );
  if (errors.length > 0) throw problem('VALIDATION_FAILED', { extensions: { errors } });
  return changeMember(ctx, memberId, async (tx, { userId }) => {
    const replaced = identifiersIn({
      ...(email !== undefined && { email, ...(emailVerified !== undefined && { emailVerified }) }),
      ...(phone !== undefined && { phone, ...(phoneVerified !== undefined && { phoneVerified }) }),
    });
    if (replaced.length > 0 || changes.username !== undefined)
      await requireAuthority(tx, 'member.address.change', { userId });
    if (Object.keys(profileChanges).length > 0) await requireAuthority(tx, 'member.profile.change', { userId });
    if (Object.keys(profileChanges).length > 0) await updateProfile(tx, userId, profileChanges);
    for (const address of replaced) {
      // biome-ignore lint/performance/noAwaitInLoops: at most two, on one connection
      await changeAddress(tx, userId, address);
    }
    if (metadata === undefined) return;
    await setMetadata(tx, memberId, metadata);
    await emit(tx, 'membership.updated', { memberId, userId, changed: ['metadata'] });
  });
}

/** The old address is notified, so that its owner can react to an unwanted change. */
async function changeAddress(tx: TxCtx, userId: UserId, { kind, value, verified }: Known): Promise<void> {
  if (kind === 'username') return;
  const before = await replaceAddress(tx, userId, { kind, value, verified });
  if (before !== value) await endWithCredentials(tx, userId, kind);
  await announce(tx, { topic: 'user', key: userId });
  if (before === value) return;
  const user = (await usersById(tx, [userId])).get(userId);
  const to = kind === 'email' ? before : user?.email;
  if (!to) return;
  const time = `${tx.now.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const variables = { change: kind, time };
  await sendMessage(tx, { template: 'credential_changed', to, locale: user?.locale ?? null, variables });
}
