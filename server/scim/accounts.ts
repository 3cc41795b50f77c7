import { findIdentifier } from '#identifiers';
import { accessOf, managedMembers } from '#members';
import { directoryMembers, joinOrganization, organizationAt, ownAccounts, rolesInOrganization } from '#organizations';
import { lockUsers, usersAwaitingErasure } from '#people';
import type { TxCtx } from '#platform/ctx.ts';
import { normaliseEmail } from '#platform/identifiers.ts';
import type { MemberId, OrganizationId, UserId } from '#platform/ids.ts';
import { Problem } from '#platform/problem.ts';
import { type Attributes, isRecord } from './resource.ts';
import { invalid, ScimError } from './scim-error.ts';

/** The account of a person of a directory, and the fields of the account that the directory provides. */
export type Account = {
  /** Null for a person who signs in only through the identity provider of the organization. */
  email: string | null;
  displayName: string | null;
  givenName: string | null;
  familyName: string | null;
  locale: string | null;
  zoneinfo: string | null;
};

const LOCALE = /^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$/;
const ZONE = /^[A-Za-z]+(\/[A-Za-z0-9_+-]+)*$/;

/**
 * Reads the account from the attributes of a person. Its address is the primary one, or else the first, or else a user
 * name that is an address.
 * @throws ScimError invalidValue for text in `emails` that is not an address
 */
export function accountOf(attributes: Attributes): Account {
  const name = isRecord(attributes['name']) ? attributes['name'] : {};
  const [givenName, familyName] = [textOf(name['givenName']), textOf(name['familyName'])];
  const whole = [givenName, familyName].filter((part) => part !== null).join(' ');
  const locale = textOf(attributes['locale']) ?? textOf(attributes['preferredLanguage']);
  const zoneinfo = textOf(attributes['timezone']);
  return {
    email: addressOf(attributes),
    displayName: textOf(attributes['displayName']) ?? textOf(name['formatted']) ?? (whole === '' ? null : whole),
    givenName,
    familyName,
    locale: locale !== null && LOCALE.test(locale) ? locale.replaceAll('_', '-').slice(0, 35) : null,
    zoneinfo: zoneinfo !== null && ZONE.test(zoneinfo) ? zoneinfo.slice(0, 64) : null,
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, 200) : null;
}

function addressOf({ emails, userName }: Attributes): string | null {
  const given = Array.isArray(emails) ? emails.filter(isRecord) : [];
  const address = textOf((given.find(({ primary }) => primary === true) ?? given[0])?.['value']);
  if (address === null) return normalised(textOf(userName) ?? '');
  const email = normalised(address);
  if (email === null) throw invalid('invalidValue', `"${address}" is not an email address.`);
  return email;
}

function normalised(address: string): string | null {
  try {
    return normaliseEmail(address);
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

export type Person = { memberId: MemberId; userId: UserId };

/**
 * Makes a person a member of the organization. A new account is added to the project, and the directory manages it. An
 * account that exists is not changed.
 * @throws ScimError uniqueness for an account that is not the company's
 */
export async function admit(
  tx: TxCtx,
  organizationId: OrganizationId,
  account: Account,
): Promise<Person & { managesAccount: boolean }> {
  const { email, ...profile } = account;
  const known = email === null ? undefined : await findIdentifier(tx, { kind: 'email', value: email });
  if (known) return { ...(await admitKnown(tx, organizationId, known)), managesAccount: false };
  const { member, isNewAccount } = await managedMembers.add(
    tx,
    { ...profile, ...(email !== null && { email }) },
    organizationId,
  );
  // An account that was created since it was looked up.
  if (!isNewAccount) throw outside();
  const person = { memberId: member.id, userId: member.userId };
  await joinOrganization(tx, { organizationId, ...person }, []);
  return { ...person, managesAccount: true };
}

/**
 * A directory must not take people of others in: the person is in the organization already, or has proven an address at
 * a verified mail domain of the organization. Nor does it bring those back who left by themselves.
 */
async function admitKnown(
  tx: TxCtx,
  organizationId: OrganizationId,
  { userId, value: email, verified }: { userId: UserId; value: string; verified: boolean },
): Promise<Person> {
  const { memberId } = await accessOf(tx, userId);
  if (memberId && (await rolesInOrganization(tx, { organizationId, memberId }))) return { memberId, userId };
  if (!verified || (await organizationAt(tx, email)) !== organizationId) throw outside();
  if ((await usersAwaitingErasure(tx, [userId])).has(userId)) throw outside();
  if (memberId && !(await directoryMembers.mayReturn(tx, { organizationId, memberId }))) throw departed();
  const person = { memberId: memberId ?? (await managedMembers.add(tx, { email })).member.id, userId };
  await joinOrganization(tx, { organizationId, ...person }, []);
  return person;
}

function outside(): ScimError {
  return new ScimError(
    409,
    'An account outside of the organization has this email address. Invite the person, or verify the mail domain of the organization; then the directory can add them.',
    'uniqueness',
  );
}

function departed(): ScimError {
  return new ScimError(
    409,
    'This person left the organization, or was removed from it. Invite them; then the directory can add them.',
    'uniqueness',
  );
}

/** What a person is to a directory. */
type Managed = Person & { organizationId: OrganizationId; managesAccount: boolean };

/**
 * Whether the directory alone decides about the account: it created the account, which is wholly the organization's. The
 * caller has locked the member.
 */
async function decidesAlone(tx: TxCtx, { managesAccount, ...person }: Managed): Promise<boolean> {
  if (!managesAccount) return false;
  // The lock keeps the person from joining another project: inserting a membership needs a lock on the user's row.
  await lockUsers(tx, [person.userId]);
  return ownAccounts.isWholly(tx, person);
}

/**
 * Changes the account, if the directory alone decides about it; otherwise only the directory's record changes. The address
 * also stays if the person proved an address of their own: a person who reads the mail of an account's address can sign in to it.
 */
export async function updateAccount(tx: TxCtx, person: Managed, before: Account, after: Account): Promise<void> {
  const { email, ...profile } = after;
  const { email: emailBefore, ...profileBefore } = before;
  const isChanged = email !== emailBefore || JSON.stringify(profile) !== JSON.stringify(profileBefore);
  if (!isChanged || !(await decidesAlone(tx, person))) return;
  const isNew = email !== null && email !== emailBefore && !(await ownAccounts.hasOwnAddress(tx, person));
  const address = isNew ? { email } : {};
  await managedMembers.update(tx, person.memberId, { ...profile, ...address });
}

/**
 * Ends at once what a person has through the organization, with the membership. If the directory alone decides about the
 * account, every session in the project ends.
 * @param decided what happens to an account that the directory alone decides about
 * @returns what happened to the account
 */
export async function endAccess<Decided extends 'blocked' | 'removed'>(
  tx: TxCtx,
  person: Managed,
  decided: Decided,
): Promise<Decided | 'kept'> {
  const decides = await decidesAlone(tx, person);
  await directoryMembers.remove(tx, person);
  if (!decides) return 'kept';
  await (decided === 'blocked' ? managedMembers.block : managedMembers.remove)(tx, person.memberId);
  return decided;
}

/**
 * Gives back the access that {@link endAccess} took. A block by an administrator stays. A person who left the
 * organization, or whom somebody else removed from it, stays out unless the directory alone decides about the account.
 * @returns whether the person is in the organization
 */
export async function restoreAccess(tx: TxCtx, person: Managed): Promise<boolean> {
  if (person.managesAccount) await managedMembers.unblock(tx, person.memberId);
  if (!(await directoryMembers.mayReturn(tx, person)) && !(await decidesAlone(tx, person))) return false;
  await joinOrganization(tx, person, []);
  return true;
}
