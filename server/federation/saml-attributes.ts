/** The names under which identity providers send the attributes that the kind expects. */
const ALIASES: Record<string, readonly string[]> = {
  email: [
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
    'urn:oid:0.9.2342.19200300.100.1.3',
    'mail',
    'Email',
  ],
  givenName: [
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname',
    'urn:oid:2.5.4.42',
    'firstName',
    'given_name',
  ],
  surname: [
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname',
    'urn:oid:2.5.4.4',
    'sn',
    'lastName',
    'family_name',
  ],
  displayName: [
    'http://schemas.microsoft.com/identity/claims/displayname',
    'urn:oid:2.16.840.1.113730.3.1.241',
    'name',
    'cn',
  ],
  groups: [
    'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups',
    'urn:oid:1.3.6.1.4.1.5923.1.5.1.1',
    'memberOf',
  ],
};
const EMAIL_ADDRESS = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';

/** What an assertion says about a person. */
type Told = { attributes: Record<string, string[]>; nameId: string | null; nameIdFormat: string | null };

/** The attributes of an assertion, also under the names that the kind expects. Several values stay a list. */
export function attributesOf({ attributes, nameId, nameIdFormat }: Told): Record<string, string | string[]> {
  const known = new Map(Object.entries(attributes));
  for (const [name, aliases] of Object.entries(ALIASES)) {
    const alias = aliases.map((one) => attributes[one]).find((values) => values !== undefined);
    if (alias && !known.has(name)) known.set(name, alias);
  }
  if (nameId !== null && nameIdFormat === EMAIL_ADDRESS && !known.has('email')) known.set('email', [nameId]);
  return Object.fromEntries(
    [...known].map(([name, values]) => {
      const [only, ...others] = values;
      return [name, only !== undefined && others.length === 0 ? only : values];
    }),
  );
}
