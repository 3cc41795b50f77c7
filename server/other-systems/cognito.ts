import { type Fields, fieldsOf, isTrue, listOf, momentOf, textOf } from './fields.ts';
import type { Kind, Mapped } from './other-person.ts';

/** The attributes of a record of `list-users`, or the columns of a file. */
function attributesOf(record: Fields): Fields {
  const listed = listOf(record['Attributes'] ?? record['UserAttributes']).map(fieldsOf);
  return listed.length === 0 ? record : Object.fromEntries(listed.map(({ Name, Value }) => [String(Name), Value]));
}

function map(record: Fields): Mapped {
  const own = attributesOf(record);
  const username = textOf(record['Username'], own['cognito:username'], own['username']);
  const id = textOf(own['sub'], username);
  if (id === undefined) return { skipped: 'records without cognito:username' };
  const custom = Object.entries(own).filter(
    ([name, value]) => name.startsWith('custom:') && textOf(value) !== undefined,
  );
  const links = linksOf(own);
  const factor = isTrue(own['cognito:mfa_enabled']) || listOf(record['MFAOptions']).length > 0;
  return {
    id,
    email: textOf(own['email']),
    emailVerified: isTrue(own['email_verified']),
    phone: textOf(own['phone_number']),
    phoneVerified: isTrue(own['phone_number_verified']),
    username: textOf(own['preferred_username'], links.length > 0 || isId(username) ? undefined : username),
    profile: {
      displayName: own['name'],
      givenName: own['given_name'],
      middleName: own['middle_name'],
      familyName: own['family_name'],
      nickname: own['nickname'],
      gender: own['gender'],
      birthdate: own['birthdate'],
      picture: own['picture'],
      profile: own['profile'],
      website: own['website'],
      locale: textOf(own['locale'])?.replace('_', '-'),
      zoneinfo: own['zoneinfo'],
    },
    metadata: Object.fromEntries(custom.map(([name, value]) => [name.slice('custom:'.length), value])),
    createdAt: momentOf(record['UserCreateDate']),
    blocked: record['Enabled'] === false,
    links,
    lost: [...(textOf(own['address']) ? ['postal addresses'] : []), ...(factor ? ['second factors'] : [])],
  };
}

/** A pool that signs in by address names its people by ids. */
function isId(username: string | undefined): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(username ?? '');
}

function linksOf(own: Fields) {
  return listOf(own['identities']).flatMap((identity) => {
    const { providerName, userId } = fieldsOf(identity);
    const [provider, subject] = [textOf(providerName), textOf(userId)];
    return provider !== undefined && subject !== undefined ? [{ provider, subject }] : [];
  });
}

export const cognito: Kind = {
  name: 'Amazon Cognito',
  idField: 'cognitoId',
  container: 'Users',
  providers: { Google: 'google', Facebook: 'facebook', SignInWithApple: 'apple' },
  map,
};
