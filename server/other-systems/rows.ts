import type { IssuerOfAccount } from '#identity-providers';
import { type ReadRow, readRow } from '#imports';
import { type Fields, filled } from './fields.ts';
import type { Kind, OtherLink, OtherPerson } from './other-person.ts';

/** What the project knows, and how names of the other system are called here. */
export type Target = {
  providers: ReadonlyMap<string, IssuerOfAccount>;
  /** Their name of a provider → its key here. */
  providerNames: ReadonlyMap<string, string>;
  /** Their name of a role → its key here. */
  roles: ReadonlyMap<string, string>;
};

type Fault = { pointer: string; message: string };

/** A link of a person, and whether it can be imported. */
export type JudgedLink = {
  theirs: string;
  key: string | null;
  state: 'linked' | 'missing' | 'not comparable' | 'no issuer';
};

/** The row of an import for a person, or why there can be none. */
export type Transferred = {
  row: Fields;
  read: ReadRow | null;
  faults: readonly Fault[];
  lost: readonly string[];
  links: readonly JudgedLink[];
};

/** The maximum of `customData` and `metadata`, as JSON. */
const MAX_JSON_CHARACTERS = 16_384;
const MAX_LINKS = 20;

/** Makes the row of a person. A field that does not fit is left out, unless the person could not sign in without it. */
export function rowOf(person: OtherPerson, kind: Kind, target: Target): Transferred {
  const judged = (person.links ?? []).slice(0, MAX_LINKS).map((link) => judge(link, kind, target));
  const linked = judged.flatMap(({ link }) => link ?? []);
  const lost = [...(person.lost ?? [])];
  const row = filled({
    email: person.email,
    ...(person.email !== undefined && { emailVerified: person.emailVerified }),
    phone: person.phone?.replace(/[\s()-]/g, ''),
    ...(person.phone !== undefined && { phoneVerified: person.phoneVerified }),
    username: usernameOf(person),
    passwordHash: person.passwordHash,
    ...person.profile,
    displayName: displayNameOf(person),
    customData: small('customData', person.customData ?? {}, lost),
    metadata: small('metadata', { ...person.metadata, [kind.idField]: person.id }, lost),
    createdAt: person.createdAt,
    status: person.blocked === true ? 'blocked' : undefined,
    roles: rolesOf(person, target),
    linkedIdentities: linked.length > 0 ? linked : undefined,
  });
  return { ...fitted(row, lost), lost, links: judged.map(({ judgement }) => judgement) };
}

/** A name to sign in with; an address that serves as one is found as an address anyway. */
function usernameOf({ username }: OtherPerson): string | undefined {
  return username?.includes('@') || username?.startsWith('+') ? undefined : username;
}

/** Some systems repeat the address where there is no name. */
function displayNameOf({ profile, email, phone }: OtherPerson): unknown {
  const name = profile?.['displayName'];
  return name === email || name === phone ? undefined : name;
}

function rolesOf({ roles = [] }: OtherPerson, target: Target): string[] | undefined {
  const keys = [...new Set(roles.flatMap((role) => target.roles.get(role) ?? []))];
  return keys.length > 0 ? keys : undefined;
}

function small(name: string, data: Fields, lost: string[]): Fields | undefined {
  if (Object.keys(data).length === 0) return undefined;
  if (JSON.stringify(data).length <= MAX_JSON_CHARACTERS) return data;
  lost.push(`${name} beyond 16 KiB`);
  return undefined;
}

function judge(link: OtherLink, kind: Kind, { providers, providerNames }: Target) {
  const theirs = link.provider;
  const key = providerNames.get(theirs) ?? (theirs in kind.providers ? (kind.providers[theirs] ?? null) : theirs);
  const decided = key === null ? undefined : providers.get(key)?.(link.issuer);
  if (key !== null && decided && 'issuer' in decided) {
    const { subject, email } = link;
    const row = filled({ provider: key, issuer: decided.issuer, subject, email });
    return { link: row, judgement: { theirs, key, state: 'linked' as const } };
  }
  const state = key === null ? ('not comparable' as const) : decided ? ('no issuer' as const) : ('missing' as const);
  return { link: null, judgement: { theirs, key, state } };
}

/** Fields that a person can do without. */
const OPTIONAL = new Set([
  'phone',
  'username',
  'passwordHash',
  'displayName',
  'givenName',
  'middleName',
  'familyName',
  'nickname',
  'gender',
  'picture',
  'profile',
  'website',
  'locale',
  'zoneinfo',
  'birthdate',
  'customData',
  'metadata',
  'createdAt',
]);

/** Leaves out fields until the row is valid, or until what is wrong is needed. */
function fitted(row: Fields, lost: string[]): Pick<Transferred, 'row' | 'read' | 'faults'> {
  const result = readRow(0, JSON.stringify(row));
  if ('record' in result) return { row, read: result, faults: [] };
  const fields = result.errors.map(({ pointer }) => pointer.split('/')[1] ?? '');
  // The rules of phone numbers speak of the row as a whole.
  const culprit = fields.find((field) => OPTIONAL.has(field)) ?? (row['phone'] === undefined ? undefined : 'phone');
  if (culprit === undefined || row[culprit] === undefined || fields.includes('email'))
    return { row, read: null, faults: result.errors };
  const gone = culprit === 'phone' ? ['phone', 'phoneVerified'] : [culprit];
  const rest = Object.fromEntries(Object.entries(row).filter(([name]) => !gone.includes(name)));
  lost.push(
    culprit === 'passwordHash'
      ? 'passwords of an algorithm that Latchkey does not check'
      : `${culprit} in another form`,
  );
  return fitted(rest, lost);
}
