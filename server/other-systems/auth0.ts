import { type Fields, fieldsOf, filled, isTrue, listOf, momentOf, textOf } from './fields.ts';
import type { Kind, Mapped, OtherLink } from './other-person.ts';

/** Strategies that are no accounts elsewhere: their identifiers and hashes come with the person. */
const OWN = new Set(['auth0', 'email', 'sms']);
/** Strategies whose connections belong to companies. */
const COMPANIES = new Set(['samlp', 'adfs', 'ad', 'waad', 'google-apps', 'okta', 'office365', 'pingfederate']);

function linkOf(identity: Fields): OtherLink | string | null {
  const [strategy, subject] = [textOf(identity['provider']), textOf(identity['user_id'])];
  if (strategy === undefined || subject === undefined || OWN.has(strategy)) return null;
  if (COMPANIES.has(strategy)) return 'accounts at enterprise connections';
  const isOwnProvider = strategy === 'oidc' || strategy === 'oauth2';
  const provider = isOwnProvider ? (textOf(identity['connection']) ?? strategy) : strategy;
  return { provider, subject, email: textOf(fieldsOf(identity['profileData'])['email']) };
}

function map(record: Fields, { records }: { records: readonly Fields[] }): Mapped {
  const id = textOf(record['user_id'], record['Id']);
  if (id === undefined) return { skipped: 'records without user_id' };
  const links = listOf(record['identities']).map((identity) => linkOf(fieldsOf(identity)));
  const enrolled = listOf(record['multifactor']).length > 0;
  return {
    id,
    email: textOf(record['email'], record['Email']),
    emailVerified: isTrue(record['email_verified'] ?? record['Email Verified']),
    phone: textOf(record['phone_number']),
    phoneVerified: isTrue(record['phone_verified']),
    username: textOf(record['username']),
    passwordHash: textOf(...records.map((beside) => beside['passwordHash'])),
    profile: {
      displayName: record['name'],
      givenName: record['given_name'],
      familyName: record['family_name'],
      nickname: record['nickname'],
      picture: record['picture'],
      locale: record['locale'],
    },
    customData: fieldsOf(record['user_metadata']),
    metadata: fieldsOf(record['app_metadata']),
    createdAt: momentOf(record['created_at']),
    blocked: isTrue(record['blocked']),
    links: links.filter((link) => typeof link === 'object' && link !== null),
    lost: [...links.filter((link) => typeof link === 'string'), ...(enrolled ? ['second factors'] : [])],
  };
}

/** The line of a person in the export of password hashes, which Auth0's support sends. */
function hashOf(record: Fields): { of: string; record: Fields } | null {
  const passwordHash = textOf(record['passwordHash']);
  const id = textOf(record['alt_id'], fieldsOf(record['_id'])['$oid']);
  return passwordHash === undefined || id === undefined
    ? null
    : { of: `auth0|${id}`, record: filled({ passwordHash }) };
}

export const auth0: Kind = {
  name: 'Auth0',
  idField: 'auth0Id',
  // `windowslive` names accounts by ids of Microsoft Graph, which OpenID Connect does not show.
  providers: { 'google-oauth2': 'google', windowslive: null },
  beside: hashOf,
  idOf: (record) => textOf(record['user_id'], record['Id']),
  map,
};
