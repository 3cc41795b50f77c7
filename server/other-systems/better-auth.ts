import { accountOf, accountsIn, linksIn } from './accounts.ts';
import { type Fields, isTrue, momentOf, textOf } from './fields.ts';
import type { Kind, Mapped } from './other-person.ts';

const OWN = new Set(['credential', 'email-otp', 'magic-link', 'siwe', 'phone-number']);

/** The default of better-auth: `salt:key`, where the text of the salt, not its bytes, went into scrypt. */
function hashOf(stored: string | undefined): string | undefined {
  const [, salt, key] = /^([0-9a-f]{32}):([0-9a-f]{128})$/.exec(stored ?? '') ?? [];
  if (salt === undefined || key === undefined) return stored;
  return `$scrypt$ln=14,r=16,p=1$${Buffer.from(salt).toString('base64')}$${Buffer.from(key, 'hex').toString('base64')}`;
}

function map(record: Fields, { records }: { records: readonly Fields[] }): Mapped {
  const id = textOf(record['id']);
  if (id === undefined) return { skipped: 'records without id' };
  if (isTrue(record['isAnonymous'] ?? record['is_anonymous'])) return { skipped: 'anonymous accounts' };
  const accounts = [...accountsIn(record, id), ...records];
  const password = accounts.find(({ provider }) => provider === 'credential');
  const phone = textOf(record['phoneNumber'], record['phone_number']);
  return {
    id,
    email: textOf(record['email']),
    emailVerified: isTrue(record['emailVerified'] ?? record['email_verified']),
    phone,
    phoneVerified: isTrue(record['phoneNumberVerified'] ?? record['phone_number_verified']),
    username: textOf(record['username']),
    passwordHash: hashOf(textOf(password?.['password'])),
    profile: { displayName: record['name'], picture: record['image'] },
    createdAt: momentOf(record['createdAt'] ?? record['created_at']),
    blocked: isTrue(record['banned']),
    // `user` is the role of everybody.
    roles: (textOf(record['role']) ?? '')
      .split(',')
      .map((role) => role.trim())
      .filter((role) => role !== '' && role !== 'user'),
    links: linksIn(accounts, OWN),
    lost: isTrue(record['twoFactorEnabled'] ?? record['two_factor_enabled']) ? ['second factors'] : [],
  };
}

export const betterAuth: Kind = {
  name: 'better-auth',
  idField: 'betterAuthId',
  providers: {},
  beside: accountOf,
  idOf: (record) => textOf(record['id']),
  map,
};
