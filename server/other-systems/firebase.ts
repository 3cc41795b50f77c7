import { type Fields, fieldsOf, isTrue, listOf, momentOf, textOf } from './fields.ts';
import type { Kind, Mapped } from './other-person.ts';

/** Ways in that are no accounts elsewhere. */
const OWN = new Set(['password', 'phone']);

/** The hash parameters as the console of Firebase shows them. */
function settings(text: string): Fields | null {
  if (!text.includes('base64_signer_key')) return null;
  const found = [...text.matchAll(/\b(\w+)"?\s*:\s*"?([\w+/=-]+)"?/g)].map(([, name, value]) => [name, value] as const);
  return Object.fromEntries(found);
}

function hashOf(record: Fields, hashing: Fields): string | undefined {
  const [hash, salt] = [textOf(record['passwordHash']), textOf(record['salt'])];
  const [key, rounds, cost] = [hashing['base64_signer_key'], hashing['rounds'], hashing['mem_cost']].map((one) =>
    textOf(one),
  );
  if (hash === undefined || salt === undefined || key === undefined) return undefined;
  const separator = textOf(hashing['base64_salt_separator']) ?? '';
  return `$firebase-scrypt$ln=${cost},r=${rounds},ss=${standard(separator)},sk=${standard(key)}$${standard(salt)}$${standard(hash)}`;
}

function standard(base64: string): string {
  return base64.replaceAll('-', '+').replaceAll('_', '/');
}

function map(record: Fields, beside: { settings: Fields }): Mapped {
  const id = textOf(record['localId']);
  if (id === undefined) return { skipped: 'records without localId' };
  const providers = listOf(record['providerUserInfo']).map(fieldsOf);
  const links = providers.flatMap(({ providerId, rawId, email }) => {
    const [provider, subject] = [textOf(providerId), textOf(rawId)];
    if (provider === undefined || subject === undefined || OWN.has(provider)) return [];
    return [{ provider, subject, email: textOf(email) }];
  });
  const [email, phone] = [textOf(record['email']), textOf(record['phoneNumber'])];
  if (email === undefined && phone === undefined && links.length === 0) return { skipped: 'anonymous accounts' };
  const passwordHash = hashOf(record, beside.settings);
  const hasLost = textOf(record['passwordHash']) !== undefined && passwordHash === undefined;
  const factors = listOf(fieldsOf(record['mfaInfo'])['enrollments'] ?? record['mfaInfo']).length > 0;
  return {
    id,
    email,
    emailVerified: isTrue(record['emailVerified']),
    phone,
    // Firebase stores a number only after its code came back.
    phoneVerified: phone !== undefined,
    passwordHash,
    profile: { displayName: record['displayName'], picture: record['photoUrl'] },
    metadata: fieldsOf(record['customAttributes']),
    createdAt: momentOf(record['createdAt']),
    blocked: isTrue(record['disabled']),
    links: links.filter(({ provider }) => !provider.startsWith('saml.')),
    lost: [
      ...(hasLost ? ['passwords: give the file with the hash parameters, too'] : []),
      ...(links.some(({ provider }) => provider.startsWith('saml.')) ? ['accounts at SAML providers'] : []),
      ...(factors ? ['second factors'] : []),
    ],
  };
}

export const firebase: Kind = {
  name: 'Firebase Authentication',
  idField: 'firebaseId',
  container: 'users',
  providers: {
    'google.com': 'google',
    'apple.com': 'apple',
    'facebook.com': 'facebook',
    'github.com': 'github',
    // These name accounts by ids that OpenID Connect does not show.
    'microsoft.com': null,
    'twitter.com': null,
    'yahoo.com': null,
  },
  settings,
  map,
};
