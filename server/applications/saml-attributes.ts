import { type Static, Type } from 'typebox';

/** The claims about a person that an assertion can have. */
const CLAIMS = [
  'email',
  'name',
  'given_name',
  'family_name',
  'preferred_username',
  'phone_number',
  'picture',
  'locale',
  'zoneinfo',
  'roles',
  'permissions',
  'org_id',
  'org_name',
  'org_slug',
  'org_roles',
  'org_permissions',
  'sub',
] as const;

const NAME_FORMATS = [
  'urn:oasis:names:tc:SAML:2.0:attrname-format:basic',
  'urn:oasis:names:tc:SAML:2.0:attrname-format:uri',
  'urn:oasis:names:tc:SAML:2.0:attrname-format:unspecified',
] as const;
const [BASIC, URI] = NAME_FORMATS;

export const SamlAttribute = Type.Object({
  claim: Type.Enum([...CLAIMS], { description: 'Email addresses and phone numbers only when they are verified.' }),
  name: Type.String({ minLength: 1, maxLength: 300, description: 'As the service provider knows it.' }),
  nameFormat: Type.Enum([...NAME_FORMATS]),
});
type SamlAttribute = Static<typeof SamlAttribute>;

function named(nameFormat: SamlAttribute['nameFormat'], names: Partial<Record<(typeof CLAIMS)[number], string>>) {
  return CLAIMS.flatMap((claim) => {
    const name = names[claim];
    return name === undefined ? [] : [{ claim, name, nameFormat }];
  });
}

const MICROSOFT = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';

/** Usual names of attributes. */
export const ATTRIBUTE_PRESETS = {
  basic: named(BASIC, {
    email: 'email',
    name: 'displayName',
    given_name: 'firstName',
    family_name: 'lastName',
    roles: 'roles',
  }),
  claims: named(URI, {
    email: `${MICROSOFT}/emailaddress`,
    name: `${MICROSOFT}/name`,
    given_name: `${MICROSOFT}/givenname`,
    family_name: `${MICROSOFT}/surname`,
    roles: 'http://schemas.microsoft.com/ws/2008/06/identity/claims/role',
  }),
  // RFC 4524, RFC 4519, RFC 2798: mail, displayName, givenName, sn, uid; eduPersonEntitlement.
  ldap: named(URI, {
    email: 'urn:oid:0.9.2342.19200300.100.1.3',
    name: 'urn:oid:2.16.840.1.113730.3.1.241',
    given_name: 'urn:oid:2.5.4.42',
    family_name: 'urn:oid:2.5.4.4',
    preferred_username: 'urn:oid:0.9.2342.19200300.100.1.1',
  }),
} as const satisfies Record<string, readonly SamlAttribute[]>;

export const attributePresetNames = [
  'basic',
  'claims',
  'ldap',
] as const satisfies readonly (keyof typeof ATTRIBUTE_PRESETS)[];
