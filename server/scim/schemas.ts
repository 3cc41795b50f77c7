/** A SCIM attribute (RFC 7643 §7). */
export type Attribute = {
  name: string;
  type: 'string' | 'boolean' | 'dateTime' | 'reference' | 'complex';
  multiValued: boolean;
  description: string;
  required: boolean;
  caseExact: boolean;
  mutability: 'readOnly' | 'readWrite' | 'immutable';
  returned: 'always' | 'default';
  uniqueness: 'none' | 'server';
  referenceTypes?: readonly string[];
  subAttributes?: readonly Attribute[];
};

export type Schema = { id: string; name: string; description: string; attributes: readonly Attribute[] };
export type ResourceKind = 'User' | 'Group';

function attribute(name: string, description: string, differences: Partial<Attribute> = {}): Attribute {
  return {
    name,
    type: 'string',
    multiValued: false,
    description,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...differences,
  };
}

function complex(name: string, description: string, subAttributes: readonly Attribute[]): Attribute {
  return attribute(name, description, { type: 'complex', subAttributes });
}

const value = attribute('value', 'The value.');
const display = attribute('display', 'The value as people read it.');
const type = attribute('type', 'The function of the value, such as "work".');
const primary = attribute('primary', 'True for the preferred value.', { type: 'boolean' });

function several(name: string, description: string, subAttributes = [value, display, type, primary]): Attribute {
  return { ...complex(name, description, subAttributes), multiValued: true };
}

const reference = (referenceTypes: readonly string[]) =>
  attribute('$ref', 'The address of the resource.', {
    type: 'reference',
    caseExact: true,
    mutability: 'readOnly',
    referenceTypes,
  });

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const user: Schema = {
  id: USER,
  name: 'User',
  description: 'A person of the directory, who is a member of the organization while `active`.',
  attributes: [
    attribute('userName', 'The name of the person in the directory.', {
      required: true,
      returned: 'always',
      uniqueness: 'server',
    }),
    complex('name', 'The parts of the name.', [
      attribute('formatted', 'The whole name.'),
      attribute('familyName', 'The family name.'),
      attribute('givenName', 'The given name.'),
      attribute('middleName', 'The middle names.'),
      attribute('honorificPrefix', 'A title before the name.'),
      attribute('honorificSuffix', 'A suffix of the name.'),
    ]),
    attribute('displayName', 'The name as others see it.'),
    attribute('nickName', 'The casual name.'),
    attribute('profileUrl', 'A page about the person.', { type: 'reference', referenceTypes: ['external'] }),
    attribute('title', 'The job title.'),
    attribute('userType', 'The relation to the organization, such as "Employee".'),
    attribute('preferredLanguage', 'The preferred language (BCP 47).'),
    attribute('locale', 'The language of formats (BCP 47).'),
    attribute('timezone', 'The time zone (IANA).'),
    attribute('active', 'False ends the access to the organization at once.', { type: 'boolean' }),
    several('emails', 'Email addresses. The primary one, or else the first, is the address of the account.'),
    several('phoneNumbers', 'Phone numbers.'),
    several('addresses', 'Postal addresses.', [
      attribute('formatted', 'The whole address.'),
      attribute('streetAddress', 'Street and number.'),
      attribute('locality', 'City.'),
      attribute('region', 'State or region.'),
      attribute('postalCode', 'Postal code.'),
      attribute('country', 'Country (ISO 3166-1).'),
      type,
      primary,
    ]),
    {
      ...several('groups', 'The groups of the person; changed through the groups.', [
        { ...value, mutability: 'readOnly' },
        reference(['Group']),
        { ...display, mutability: 'readOnly' },
      ]),
      mutability: 'readOnly',
    },
  ],
};

const group: Schema = {
  id: GROUP,
  name: 'Group',
  description: 'A group of the directory, which can give its members roles in the organization.',
  attributes: [
    attribute('displayName', 'The name of the group.', { required: true, uniqueness: 'server' }),
    {
      ...several('members', 'The people in the group.', [
        { ...value, mutability: 'immutable', caseExact: true },
        { ...reference(['User']), mutability: 'immutable' },
        { ...display, mutability: 'readOnly' },
        { ...type, mutability: 'readOnly' },
      ]),
    },
  ],
};

const enterprise: Schema = {
  id: ENTERPRISE,
  name: 'EnterpriseUser',
  description: 'The person as an employee.',
  attributes: [
    attribute('employeeNumber', 'The number of the employee.'),
    attribute('costCenter', 'The cost center.'),
    attribute('organization', 'The name of the organization.'),
    attribute('division', 'The division.'),
    attribute('department', 'The department.'),
    complex('manager', 'The manager.', [
      attribute('value', 'The id of the manager.', { caseExact: true }),
      reference(['User']),
      attribute('displayName', 'The name of the manager.', { mutability: 'readOnly' }),
    ]),
  ],
};

/** Attributes of every resource (RFC 7643 §3.1). */
const common: readonly Attribute[] = [
  attribute('id', 'The id of the resource.', { caseExact: true, mutability: 'readOnly', returned: 'always' }),
  attribute('externalId', 'The id of the resource in the directory.', { caseExact: true }),
  complex('meta', 'About the resource.', [
    attribute('resourceType', 'User or Group.', { mutability: 'readOnly' }),
    attribute('created', 'When it was created.', { type: 'dateTime', mutability: 'readOnly' }),
    attribute('lastModified', 'When it was last changed.', { type: 'dateTime', mutability: 'readOnly' }),
  ]),
];

export const schemas: readonly Schema[] = [user, group, enterprise];

/** A resource type: its schema, its extension, and the attributes at its top level. */
export type ResourceType = {
  kind: ResourceKind;
  endpoint: '/Users' | '/Groups';
  schema: Schema;
  extension: Schema | null;
  attributes: readonly Attribute[];
};

export const resourceTypes: Record<ResourceKind, ResourceType> = {
  User: {
    kind: 'User',
    endpoint: '/Users',
    schema: user,
    extension: enterprise,
    attributes: [...common, ...user.attributes],
  },
  Group: {
    kind: 'Group',
    endpoint: '/Groups',
    schema: group,
    extension: null,
    attributes: [...common, ...group.attributes],
  },
};
