import { type Fields, fieldsOf, listOf, momentOf, textOf } from './fields.ts';
import type { Kind, Mapped } from './other-person.ts';

/** The attributes of Okta's base profile that have a field here, or none that is kept. */
const KNOWN = new Set([
  'login',
  'email',
  'secondEmail',
  'mobilePhone',
  'firstName',
  'middleName',
  'lastName',
  'displayName',
  'nickName',
  'profileUrl',
  'locale',
  'preferredLanguage',
  'timezone',
]);

function map(record: Fields): Mapped {
  const id = textOf(record['id']);
  if (id === undefined) return { skipped: 'records without id' };
  const status = textOf(record['status']);
  if (status === 'DEPROVISIONED') return { skipped: 'deactivated accounts' };
  const profile = fieldsOf(record['profile']);
  const credentials = fieldsOf(record['credentials']);
  const login = textOf(profile['login']);
  const email = textOf(profile['email'], login?.includes('@') ? login : undefined);
  const verified = listOf(credentials['emails'])
    .map(fieldsOf)
    .some(({ value, status: state }) => textOf(value)?.toLowerCase() === email?.toLowerCase() && state === 'VERIFIED');
  const names = [textOf(profile['firstName']), textOf(profile['lastName'])];
  const own = Object.entries(profile).filter(([name, value]) => !KNOWN.has(name) && value !== null && value !== '');
  const source = textOf(fieldsOf(credentials['provider'])['type']);
  return {
    id,
    email,
    emailVerified: verified,
    phone: textOf(profile['mobilePhone']),
    username: login,
    profile: {
      displayName: textOf(profile['displayName'], names.filter(Boolean).join(' ')),
      givenName: profile['firstName'],
      middleName: profile['middleName'],
      familyName: profile['lastName'],
      nickname: profile['nickName'],
      profile: profile['profileUrl'],
      locale: textOf(profile['preferredLanguage'], profile['locale'])?.replace('_', '-'),
      zoneinfo: profile['timezone'],
    },
    metadata: Object.fromEntries(own),
    createdAt: momentOf(record['created']),
    blocked: status === 'SUSPENDED',
    lost: [
      ...(textOf(profile['secondEmail']) ? ['second email addresses'] : []),
      ...(source === 'SOCIAL' || source === 'FEDERATION'
        ? ['accounts at identity providers, which this file does not name']
        : []),
    ],
  };
}

export const okta: Kind = { name: 'Okta', idField: 'oktaId', providers: {}, map };
