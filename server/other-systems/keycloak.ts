import { type Fields, fieldsOf, listOf, momentOf, textOf } from './fields.ts';
import type { Kind, Mapped } from './other-person.ts';

/** Attributes that Keycloak's own mappers know, by the profile field they fill. */
const PROFILE = {
  locale: 'locale',
  picture: 'picture',
  website: 'website',
  nickname: 'nickname',
  zoneinfo: 'zoneinfo',
};

/** Roles that everybody has. */
const EVERYBODYS = /^(?:default-roles-.*|offline_access|uma_authorization)$/;

const ARGON2_VERSIONS: Record<string, number> = { '1.0': 16, '1.3': 19 };

/**
 * A stored password. Since version 12 it is two texts of JSON, before that fields of their own.
 * @returns the hash in PHC format; undefined for an algorithm of an extension
 */
function hashOf(credential: Fields): string | undefined {
  const data = fieldsOf(credential['credentialData']);
  const secret = fieldsOf(credential['secretData']);
  const algorithm = textOf(data['algorithm'], credential['algorithm']) ?? '';
  const rounds = textOf(data['hashIterations'], credential['hashIterations']);
  const value = textOf(secret['value'], credential['hashedSaltedValue']);
  const salt = textOf(secret['salt'], credential['salt']);
  if (value === undefined || salt === undefined || rounds === undefined) return undefined;
  const digest = /^pbkdf2(?:-(sha256|sha512))?$/.exec(algorithm);
  if (digest) return `$pbkdf2-${digest[1] ?? 'sha1'}$i=${rounds}$${salt}$${value}`;
  if (algorithm !== 'argon2') return undefined;
  const option = (name: string) => textOf(listOf(fieldsOf(data['additionalParameters'])[name])[0]);
  const version = ARGON2_VERSIONS[option('version') ?? '1.3'];
  const [type, memory, lanes] = [option('type') ?? 'id', option('memory'), option('parallelism')];
  return `$argon2${type}$v=${version}$m=${memory},t=${rounds},p=${lanes}$${unpadded(salt)}$${unpadded(value)}`;
}

function unpadded(base64: string): string {
  return base64.replace(/=+$/, '');
}

function map(record: Fields): Mapped {
  const id = textOf(record['id'], record['username']);
  if (id === undefined) return { skipped: 'records without id' };
  if (textOf(record['serviceAccountClientId'])) return { skipped: 'service accounts of clients' };
  const credentials = listOf(record['credentials']).map(fieldsOf);
  const password = credentials.find(({ type }) => type === 'password');
  const passwordHash = password && hashOf(password);
  const attributes = Object.entries(fieldsOf(record['attributes'])).map(([name, value]) => {
    const values = listOf(value);
    return [name, values.length > 1 ? values : (values[0] ?? value)] as const;
  });
  const own = Object.fromEntries(attributes);
  const [first, last] = [textOf(record['firstName']), textOf(record['lastName'])];
  const left = attributes.filter(
    ([name]) => !(name in PROFILE) && name !== 'phoneNumber' && name !== 'phoneNumberVerified',
  );
  return {
    id,
    email: textOf(record['email']),
    emailVerified: record['emailVerified'] === true,
    phone: textOf(own['phoneNumber']),
    phoneVerified: textOf(own['phoneNumberVerified']) === 'true',
    username: textOf(record['username']),
    passwordHash,
    profile: {
      ...Object.fromEntries(Object.entries(PROFILE).map(([name, field]) => [field, own[name]])),
      givenName: first,
      familyName: last,
      displayName: textOf([first, last].filter(Boolean).join(' ')),
    },
    metadata: left.length > 0 ? { attributes: Object.fromEntries(left) } : {},
    createdAt: momentOf(record['createdTimestamp']),
    blocked: record['enabled'] === false,
    roles: rolesOf(record),
    links: linksOf(record),
    lost: lostOf(record, credentials, password !== undefined && passwordHash === undefined),
  };
}

/** Roles of the realm by name, those of clients as `client/role`. */
function rolesOf(record: Fields): string[] {
  const ofClients = Object.entries(fieldsOf(record['clientRoles'])).flatMap(([client, roles]) =>
    client === 'account' ? [] : listOf(roles).map((role) => `${client}/${textOf(role)}`),
  );
  const ofRealm = listOf(record['realmRoles']).flatMap((role) => textOf(role) ?? []);
  return [...ofRealm.filter((role) => !EVERYBODYS.test(role)), ...ofClients];
}

function linksOf(record: Fields) {
  return listOf(record['federatedIdentities']).flatMap((identity) => {
    const { identityProvider, userId } = fieldsOf(identity);
    const [provider, subject] = [textOf(identityProvider), textOf(userId)];
    return provider !== undefined && subject !== undefined ? [{ provider, subject }] : [];
  });
}

const FACTORS = ['otp', 'webauthn', 'webauthn-passwordless', 'recovery-authn-codes'];

function lostOf(record: Fields, credentials: readonly Fields[], noHash: boolean): string[] {
  return [
    ...(noHash ? ['passwords of an algorithm that Latchkey does not check'] : []),
    ...(credentials.some(({ type }) => FACTORS.includes(String(type))) ? ['second factors and passkeys'] : []),
    ...(listOf(record['groups']).length > 0 ? ['groups'] : []),
    ...(listOf(record['requiredActions']).length > 0 ? ['required actions'] : []),
  ];
}

export const keycloak: Kind = {
  name: 'Keycloak',
  idField: 'keycloakId',
  container: 'users',
  // `microsoft` names accounts by ids of Microsoft Graph, which OpenID Connect does not show.
  providers: { 'linkedin-openid-connect': 'linkedin', microsoft: null },
  map,
};
