import { type Fields, fieldsOf, filled, isTrue, listOf, textOf } from './fields.ts';

/** A file that another system imports: what stands before, between and after its records. */
type Outgoing = { head: string; separator: string; tail: string; record: (row: Fields) => string };

const ARGON2 = /^\$argon2(id|i|d)\$v=(\d+)\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/;
const PBKDF2 = /^\$pbkdf2-(sha1|sha256|sha512)\$(?:i=)?(\d+)\$([^$]+)\$([^$]+)$/;
const BCRYPT = /^\$2[ab]\$/;

/** The bulk import of Auth0, which takes an array. */
function auth0Record(row: Fields): Fields {
  const hash = textOf(row['passwordHash']) ?? '';
  const isArgon2 = ARGON2.test(hash);
  return filled({
    user_id: row['userId'],
    email: row['email'],
    email_verified: row['email'] === undefined ? undefined : isTrue(row['emailVerified']),
    username: row['username'],
    phone_number: row['phone'],
    phone_verified: row['phone'] === undefined ? undefined : isTrue(row['phoneVerified']),
    name: row['displayName'],
    given_name: row['givenName'],
    family_name: row['familyName'],
    nickname: row['nickname'],
    picture: row['picture'],
    blocked: row['status'] === 'blocked' ? true : undefined,
    user_metadata: row['customData'],
    app_metadata: row['metadata'],
    custom_password_hash:
      isArgon2 || BCRYPT.test(hash)
        ? { algorithm: isArgon2 ? 'argon2' : 'bcrypt', hash: { value: hash, ...(isArgon2 && { encoding: 'utf8' }) } }
        : undefined,
  });
}

/** The partial import of Keycloak. Roles stay behind: it refuses people with roles that the realm has not. */
function keycloakRecord(row: Fields): Fields {
  const attributes = filled({
    phoneNumber: row['phone'],
    phoneNumberVerified: row['phone'] === undefined ? undefined : String(isTrue(row['phoneVerified'])),
    locale: row['locale'],
    picture: row['picture'],
    latchkeyId: row['userId'],
  });
  const credential = keycloakCredential(textOf(row['passwordHash']) ?? '');
  const links = listOf(row['linkedIdentities']).map(fieldsOf);
  return filled({
    username: textOf(row['username'], row['email'], row['phone'], row['userId']),
    email: row['email'],
    emailVerified: isTrue(row['emailVerified']),
    enabled: row['status'] !== 'blocked',
    firstName: textOf(row['givenName'], row['familyName'] === undefined ? row['displayName'] : undefined),
    lastName: row['familyName'],
    createdTimestamp: new Date(textOf(row['createdAt']) ?? 0).getTime(),
    attributes: Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, [value]])),
    credentials: credential ? [credential] : undefined,
    federatedIdentities: links.map(({ provider, subject, email }) => ({
      identityProvider: provider,
      userId: subject,
      userName: textOf(email, subject),
    })),
  });
}

function keycloakCredential(hash: string): Fields | null {
  const [, type, version, memory, time, lanes, argonSalt = '', argonValue = ''] = ARGON2.exec(hash) ?? [];
  if (type !== undefined) {
    const value = Buffer.from(argonValue, 'base64');
    const additionalParameters = {
      type: [type],
      version: [version === '16' ? '1.0' : '1.3'],
      hashLength: [String(value.length)],
      memory: [memory],
      parallelism: [lanes],
    };
    const data = { hashIterations: Number(time), algorithm: 'argon2', additionalParameters };
    return credentialOf(data, value, argonSalt);
  }
  const [, digest, rounds, salt = '', value = ''] = PBKDF2.exec(hash) ?? [];
  if (digest === undefined) return null;
  const algorithm = digest === 'sha1' ? 'pbkdf2' : `pbkdf2-${digest}`;
  const data = { hashIterations: Number(rounds), algorithm, additionalParameters: {} };
  return credentialOf(data, Buffer.from(value, 'base64'), salt);
}

function credentialOf(data: Fields, value: Buffer, salt: string): Fields {
  const secret = {
    value: value.toString('base64'),
    salt: Buffer.from(salt, 'base64').toString('base64'),
    additionalParameters: {},
  };
  return { type: 'password', secretData: JSON.stringify(secret), credentialData: JSON.stringify(data) };
}

/** The columns of a user pool's import file, with the field of a row that fills each. */
const COGNITO: Readonly<Record<string, (row: Fields) => unknown>> = {
  'cognito:username': (row) => textOf(row['username'], row['userId']),
  name: (row) => row['displayName'],
  given_name: (row) => row['givenName'],
  family_name: (row) => row['familyName'],
  middle_name: (row) => row['middleName'],
  nickname: (row) => row['nickname'],
  preferred_username: () => '',
  profile: (row) => row['profile'],
  picture: (row) => row['picture'],
  website: (row) => row['website'],
  email: (row) => row['email'],
  email_verified: (row) => isTrue(row['emailVerified']),
  gender: (row) => row['gender'],
  birthdate: (row) => row['birthdate'],
  zoneinfo: (row) => row['zoneinfo'],
  locale: (row) => row['locale'],
  phone_number: (row) => row['phone'],
  phone_number_verified: (row) => isTrue(row['phoneVerified']),
  address: () => '',
  updated_at: () => '',
  'cognito:mfa_enabled': () => false,
};

/** Cognito takes no quotes: a comma inside a value is escaped by a backslash. */
function cognitoLine(row: Fields): string {
  const cells = Object.values(COGNITO).map((read) => String(read(row) ?? ''));
  return cells
    .map((cell) =>
      cell
        .replaceAll('\\', '\\\\')
        .replaceAll(',', '\\,')
        .replace(/[\r\n]+/g, ' '),
    )
    .join(',');
}

const json = (record: (row: Fields) => Fields) => (row: Fields) => JSON.stringify(record(row));

/** The systems that `latchkey export --to` writes files for. */
export const outgoing: ReadonlyMap<string, Outgoing> = new Map(
  Object.entries({
    auth0: { head: '[', separator: ',\n', tail: ']\n', record: json(auth0Record) },
    keycloak: {
      head: '{"ifResourceExists":"SKIP","users":[',
      separator: ',\n',
      tail: ']}\n',
      record: json(keycloakRecord),
    },
    cognito: { head: `${Object.keys(COGNITO).join(',')}\n`, separator: '\n', tail: '\n', record: cognitoLine },
  }),
);

/** Writes pages of rows, one JSON object per line, in the form of another system. */
export async function* writtenFor(
  { head, separator, tail, record }: Outgoing,
  pages: AsyncIterable<string>,
): AsyncGenerator<{ text: string; rows: number }> {
  let before = head;
  for await (const page of pages) {
    const rows = page.split('\n').filter((line) => line !== '');
    if (rows.length === 0) continue;
    yield { text: before + rows.map((line) => record(fieldsOf(JSON.parse(line)))).join(separator), rows: rows.length };
    before = separator;
  }
  yield { text: before === head ? head + tail : tail, rows: 0 };
}
