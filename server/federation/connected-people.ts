import type { Static } from 'typebox';
import { Type } from 'typebox';
import { connectionProofs, type UsableConnection } from '#connections';
import { findIdentifier, unprovenSince } from '#identifiers';
import { findLinkedUser, identityUsed, linkIdentity, type UpstreamIdentity } from '#linked-identities';
import { accessOf, addMember, holdRoles } from '#members';
import { credentialChanged } from '#notices';
import { directoryMembers, isNewIn, joinOrganization, organizationAt, rolesInOrganization } from '#organizations';
import { createUser, usersById } from '#people';
import type { TxCtx } from '#platform/ctx.ts';
import { parseEmail } from '#platform/email-address.ts';
import type { UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { addressProven } from '#sign-in';
import type { SamlLoginId } from '#single-logout';
import { type Passage, type SignedIn, signIn } from '#ways';
import type { Asserted } from './connection-kinds.ts';
import { askForProof, type LinkRequired, profileOf } from './social.ts';

const nullableText = Type.Union([Type.String(), Type.Null()]);
const MAX_GROUPS = 500;

/** A person as the identity provider of a connection describes them, in the terms of an account. */
export const ConnectedPerson = Type.Object({
  subject: Type.String(),
  email: nullableText,
  emailVerified: Type.Union([Type.Boolean(), Type.Null()]),
  name: nullableText,
  givenName: nullableText,
  familyName: nullableText,
  groups: Type.Array(Type.String()),
});
export type ConnectedPerson = Static<typeof ConnectedPerson>;

/** Reads the attributes by the names in the connection's mapping, without an invalid address. */
export function personOf({ attributes: names }: UsableConnection, asserted: Asserted): ConnectedPerson {
  const { subject, emailVerified, attributes } = asserted;
  const textIn = (name: string) => textsOf(attributes[name])[0]?.slice(0, 200) ?? null;
  const email = textIn(names.email);
  return {
    subject,
    email: email && parseEmail(email),
    emailVerified,
    name: textIn(names.displayName),
    givenName: textIn(names.givenName),
    familyName: textIn(names.familyName),
    groups: textsOf(attributes[names.groups]).slice(0, MAX_GROUPS),
  };
}

/** One text or a list of them. */
function textsOf(value: unknown): string[] {
  return [value].flat().filter((text): text is string => typeof text === 'string' && text !== '');
}

/** A sign-in has to change the organization whose lock it shares. It starts over and locks the organization alone. */
export class SharedLock extends Error {}

/**
 * Whether a sign-in leaves the organization as it is: the person is known, and a member who has the roles of their
 * groups. Such sign-ins share the lock, because a whole company may begin its day at once.
 */
export async function staysAsIs(
  tx: TxCtx,
  connection: UsableConnection,
  { subject, groups }: ConnectedPerson,
): Promise<boolean> {
  const userId = await findLinkedUser(tx, { issuer: connection.issuer, subject });
  return userId !== undefined && (await membershipThrough(tx, connection, { userId, groups })).stays;
}

/**
 * Signs in a person through a connection, as a member of its organization. They are found by connection and subject.
 * The caller holds the connection.
 * @throws Problem MEMBERSHIP_REQUIRED for a person who is not in the organization and may not join, MEMBER_BLOCKED
 * @throws SharedLock
 */
export async function enterConnected(
  tx: TxCtx,
  {
    connection,
    shared,
    person,
    samlLogin,
  }: { connection: UsableConnection; shared: boolean; person: ConnectedPerson; samlLogin: SamlLoginId | null },
  { way, deviceToken }: { way: Passage; deviceToken: string | undefined },
): Promise<SignedIn | Static<typeof LinkRequired>> {
  const identity: UpstreamIdentity = {
    ...person,
    provider: connection.id,
    issuer: connection.issuer,
    emailVerified: person.emailVerified === true,
  };
  const account = await accountOf(tx, connection, { person, identity });
  if ('address' in account) return askForProof(tx, { identity, linkTo: account.userId }, account.address);
  await joinThrough(tx, connection, { userId: account.userId, groups: person.groups, shared });
  return signIn(tx, account.userId, { way, amr: ['fed'], acr: 'aal1', connection, samlLogin }, { deviceToken });
}

type Found = { person: ConnectedPerson; identity: UpstreamIdentity };

/**
 * The account of a person; with an address, if its owner must prove it first. At a domain that the organization has
 * proven, its identity provider vouches for an address, unless it says that the address is not verified: then an
 * account with the address is the person's, and an unproven one is taken over. Elsewhere, and for people with roles in
 * a project, an address is no proof (take-over; AU-8).
 */
async function accountOf(
  tx: TxCtx,
  connection: UsableConnection,
  { person, identity }: Found,
): Promise<{ userId: UserId } | { userId: UserId; address: string }> {
  const linked = await findLinkedUser(tx, identity);
  if (linked) return linkedAccount(tx, identity, linked);
  const { email, emailVerified } = person;
  const isVouchedFor =
    email !== null && emailVerified !== false && (await organizationAt(tx, email)) === connection.organizationId;
  const owner = email === null ? undefined : await findIdentifier(tx, { kind: 'email', value: email });
  if (owner && isVouchedFor && !(await outgrown(tx, owner.userId, null))) {
    await addressProven(tx, { userId: owner.userId, channel: 'email', address: owner.value }, 'anybody');
    await linkIdentity(tx, owner.userId, identity);
    await credentialChanged(tx, owner.userId, 'identity_linked');
    return { userId: owner.userId };
  }
  const isClaimed = isVouchedFor || emailVerified === true;
  if (owner && isClaimed && !(await unprovenSince(tx, owner.userId, owner.value)))
    return { userId: owner.userId, address: owner.value };
  if (!connection.justInTime) throw notAMember();
  const userId = await createUser(tx, {
    address: isVouchedFor && !owner ? { kind: 'email', value: email, verified: true } : null,
    passwordHash: null,
    profile: profileOf(identity),
    homeOrganizationId: connection.organizationId,
  });
  await linkIdentity(tx, userId, identity);
  return { userId };
}

/** The account that an identity is linked to; with an address, if the person must confirm the identity first. */
async function linkedAccount(tx: TxCtx, identity: UpstreamIdentity, userId: UserId) {
  const used = await identityUsed(tx, identity);
  if (!(await outgrown(tx, userId, used?.provenAt ?? null))) return { userId };
  const user = (await usersById(tx, [userId])).get(userId);
  return { userId, address: user?.email ?? user?.phone ?? user?.username ?? '' };
}

/** `connectionProofs.isOutgrown`, until the transaction ends: a role that is given meanwhile ends the new session. */
async function outgrown(tx: TxCtx, userId: UserId, provenAt: Date | null): Promise<boolean> {
  await holdRoles(tx, userId);
  return connectionProofs.isOutgrown(tx, { userId, provenAt });
}

type Member = { userId: UserId; groups: readonly string[] };

/** The membership of a person in the organization of a connection, and whether it has the roles of their groups. */
async function membershipThrough(
  tx: TxCtx,
  { organizationId, groupRoles }: UsableConnection,
  { userId, groups }: Member,
) {
  const { memberId } = await accessOf(tx, userId);
  const held = memberId === null ? undefined : await rolesInOrganization(tx, { organizationId, memberId });
  const given = groups.flatMap((group) => (Object.hasOwn(groupRoles, group) ? (groupRoles[group] ?? []) : []));
  const taken = Object.values(groupRoles).flat();
  const isRight = (key: string) => given.includes(key) || !taken.includes(key);
  const stays = held?.every(isRight) === true && given.every((key) => held.includes(key));
  return { memberId, isIn: held !== undefined, stays, given, taken };
}

/**
 * Makes a person a member of the organization, or gives a member the roles of their groups. A person who left or was
 * removed does not join again. The caller has locked the organization.
 * @throws Problem MEMBERSHIP_REQUIRED, CONFLICT if the organization is full
 * @throws SharedLock
 */
async function joinThrough(
  tx: TxCtx,
  connection: UsableConnection,
  { shared, ...member }: Member & { shared: boolean },
): Promise<void> {
  const { memberId: known, isIn, stays, given, taken } = await membershipThrough(tx, connection, member);
  if (stays) return;
  if (shared) throw new SharedLock('The sign-in changes the organization.');
  const { organizationId, justInTime, roles } = connection;
  const { userId } = member;
  const memberId = known ?? (justInTime ? await addMember(tx, userId) : null);
  if (memberId === null) throw notAMember();
  const who = { organizationId, memberId, userId };
  if (isIn) await directoryMembers.changeRoles(tx, who, { taken, given });
  else if (justInTime && (await isNewIn(tx, organizationId, memberId)))
    await joinOrganization(tx, who, [...roles, ...given]);
  else throw notAMember();
}

function notAMember() {
  return problem('MEMBERSHIP_REQUIRED', 'You are not in this organization. Ask its administrators to add you.');
}
