import { type Fields, fieldsOf, isTrue, momentOf, textOf } from './fields.ts';
import type { Kind, Mapped } from './other-person.ts';

const DIGESTS: Record<string, string> = { SHA1: 'sha1', SHA256: 'sha256' };

/** @param record a row of the table `users`: the API does not give hashes */
function hashOf(record: Fields): string | undefined {
  const stored = textOf(record['password_encrypted'], record['passwordEncrypted']);
  const method = textOf(record['password_encryption_method'], record['passwordEncryptionMethod']) ?? '';
  if (stored === undefined || stored.startsWith('$')) return stored;
  const digest = DIGESTS[method];
  return digest && `$${digest}$salt-first$$${Buffer.from(stored, 'hex').toString('base64')}`;
}

function map(record: Fields): Mapped {
  const id = textOf(record['id']);
  if (id === undefined) return { skipped: 'records without id' };
  const profile = fieldsOf(record['profile']);
  const [email, phone] = [
    textOf(record['primary_email'], record['primaryEmail']),
    textOf(record['primary_phone'], record['primaryPhone']),
  ];
  const links = Object.entries(fieldsOf(record['identities'])).flatMap(([provider, identity]) => {
    const { userId, details } = fieldsOf(identity);
    const subject = textOf(userId);
    return subject === undefined ? [] : [{ provider, subject, email: textOf(fieldsOf(details)['email']) }];
  });
  const passwordHash = hashOf(record);
  const hasLost =
    textOf(record['password_encrypted'], record['passwordEncrypted']) !== undefined && passwordHash === undefined;
  const factors = record['mfa_verifications'] ?? record['mfaVerifications'];
  return {
    id,
    // Logto stores an address only after its code came back.
    email,
    emailVerified: email !== undefined,
    phone: phone?.replace(/^(?=\d)/, '+'),
    phoneVerified: phone !== undefined,
    username: textOf(record['username']),
    passwordHash,
    profile: {
      displayName: record['name'],
      picture: record['avatar'],
      givenName: profile['givenName'],
      middleName: profile['middleName'],
      familyName: profile['familyName'],
      nickname: profile['nickname'],
      profile: profile['profile'],
      website: profile['website'],
      gender: profile['gender'],
      birthdate: profile['birthdate'],
      zoneinfo: profile['zoneinfo'],
      locale: profile['locale'],
    },
    customData: fieldsOf(record['custom_data'] ?? record['customData']),
    createdAt: momentOf(record['created_at'] ?? record['createdAt']),
    blocked: isTrue(record['is_suspended'] ?? record['isSuspended']),
    links,
    lost: [
      ...(hasLost ? ['passwords of an algorithm that Latchkey does not check'] : []),
      ...(Array.isArray(factors) && factors.length > 0 ? ['second factors and passkeys'] : []),
    ],
  };
}

export const logto: Kind = {
  name: 'Logto',
  idField: 'logtoId',
  // `azuread` names accounts by ids of Microsoft Graph, which OpenID Connect does not show.
  providers: { azuread: null },
  map,
};
