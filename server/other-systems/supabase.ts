import { type Fields, fieldsOf, filled, isTrue, listOf, momentOf, textOf } from './fields.ts';
import type { Kind, Mapped, OtherLink } from './other-person.ts';

/** Ways in that are no accounts elsewhere. */
const OWN = new Set(['email', 'phone', 'web3']);

/** @param identity a row of `auth.identities` */
function linkOf(identity: Fields): OtherLink | null {
  const data = fieldsOf(identity['identity_data']);
  const [provider, subject] = [textOf(identity['provider']), textOf(identity['provider_id'], data['sub'])];
  if (provider === undefined || subject === undefined || OWN.has(provider)) return null;
  const issuer = provider === 'azure' ? textOf(data['iss']) : undefined;
  return { provider, subject, issuer, email: textOf(data['email']) };
}

function map(record: Fields, { records }: { records: readonly Fields[] }): Mapped {
  const id = textOf(record['id']);
  if (id === undefined) return { skipped: 'records without id' };
  if (isTrue(record['is_anonymous'])) return { skipped: 'anonymous accounts' };
  if (textOf(record['deleted_at'])) return { skipped: 'deleted accounts' };
  const data = fieldsOf(record['raw_user_meta_data'] ?? record['user_metadata']);
  const {
    provider: _provider,
    providers: _providers,
    ...app
  } = fieldsOf(record['raw_app_meta_data'] ?? record['app_metadata']);
  const phone = textOf(record['phone']);
  const links = [...listOf(record['identities']).map(fieldsOf), ...records].flatMap(
    (identity) => linkOf(identity) ?? [],
  );
  const bannedUntil = momentOf(record['banned_until']);
  return {
    id,
    email: textOf(record['email']),
    emailVerified: textOf(record['email_confirmed_at']) !== undefined,
    phone: phone?.replace(/^(?=\d)/, '+'),
    phoneVerified: textOf(record['phone_confirmed_at']) !== undefined,
    passwordHash: textOf(record['encrypted_password']),
    profile: {
      displayName: textOf(data['full_name'], data['name']),
      givenName: data['given_name'],
      familyName: data['family_name'],
      picture: textOf(data['avatar_url'], data['picture']),
    },
    customData: ownData(data),
    metadata: app,
    createdAt: momentOf(record['created_at']),
    blocked: bannedUntil !== undefined && bannedUntil > (momentOf(Date.now()) ?? ''),
    links: links.filter(({ provider }) => !provider.startsWith('sso:')),
    lost: links.some(({ provider }) => provider.startsWith('sso:')) ? ['accounts at SAML providers'] : [],
  };
}

/** What providers say, which Supabase copies into the data of the person. */
const COPIED = new Set(['iss', 'sub', 'email', 'email_verified', 'phone_verified', 'full_name', 'name', 'given_name']);
const COPIED_TOO = new Set(['family_name', 'avatar_url', 'picture', 'provider_id', 'user_name', 'preferred_username']);

function ownData(data: Fields): Fields {
  return Object.fromEntries(Object.entries(data).filter(([name]) => !COPIED.has(name) && !COPIED_TOO.has(name)));
}

export const supabase: Kind = {
  name: 'Supabase',
  idField: 'supabaseId',
  providers: { azure: 'microsoft', linkedin_oidc: 'linkedin', linkedin: null, twitter: null },
  beside: (record) => {
    const of = textOf(record['user_id']);
    if (of === undefined || textOf(record['provider']) === undefined) return null;
    const { provider, provider_id, identity_data } = record;
    return { of, record: filled({ provider, provider_id, identity_data }) };
  },
  idOf: (record) => textOf(record['id']),
  map,
};
