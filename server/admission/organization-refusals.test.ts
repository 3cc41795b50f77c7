import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EffectivePolicy, Standing } from '#platform/standing.ts';
import { SignInMethod } from '#settings';
import type { OrganizationRefusal } from './decision.ts';
import { organizationRefusal } from './organization-refusals.ts';

const POLICY: EffectivePolicy = {
  signInMethods: null,
  mfaRequired: false,
  sessionIdleSeconds: 600,
  sessionAbsoluteSeconds: 600,
  addresses: null,
};
const standing = (policy: Partial<EffectivePolicy>, status: Standing['status'] = 'active'): Standing => ({
  id: 'org_01kaz3w9hqf8p9n2m4v5x6y7z8',
  name: 'Acme',
  slug: null,
  status,
  roles: [],
  permissions: [],
  policy: { ...POLICY, ...policy },
});
const arrival = (ip: string | null | undefined, ...signInMethods: string[]) => ({
  ip,
  signInMethods,
  through: { isOwn: false, isRequired: false },
});
const required = (...signInMethods: string[]) => ({
  ...arrival(null, ...signInMethods),
  through: { isOwn: false, isRequired: true },
});
const OWN = { ...arrival(null, 'con_own'), through: { isOwn: true, isRequired: false } };

type Row = [when: string, Standing | undefined, ReturnType<typeof arrival>, OrganizationRefusal | null];
const OFFICE = { addresses: ['203.0.113.0/24', '2001:db8::/32'] };
const PASSKEYS = { signInMethods: ['passkey'] };
const ROWS: readonly Row[] = [
  ['not a member', undefined, arrival('203.0.113.7'), 'no_organization'],
  ['without a policy', standing({}), arrival(null), null],
  ['blocked', standing(OFFICE, 'blocked'), arrival('198.51.100.1'), 'organization_blocked'],
  ['from the office', standing(OFFICE), arrival('203.0.113.7'), null],
  ['from the office by IPv6', standing(OFFICE), arrival('2001:db8:1::1'), null],
  ['from the office, as an IPv4-mapped address', standing(OFFICE), arrival('::ffff:203.0.113.7'), null],
  ['from another address', standing(OFFICE), arrival('203.0.114.7'), 'organization_address'],
  ['from an unknown address', standing(OFFICE), arrival(null), 'organization_address'],
  ['through an application’s server', standing(OFFICE), arrival(undefined), null],
  ['with an allowed method', standing(PASSKEYS), arrival(null, 'password', 'passkey'), null],
  ['with another method', standing(PASSKEYS), arrival(null, 'password'), 'organization_method'],
  ['with an unrecorded method', standing(PASSKEYS), arrival(null), 'organization_method'],
  ['if the policy allows no method', standing({ signInMethods: [] }), arrival(null, 'password'), 'organization_method'],
  ['through its own connection', standing({}), OWN, null],
  ['through its own connection, if the policy lists other methods', standing(PASSKEYS), OWN, null],
  ['through the connection of another', standing({}), arrival(null, 'con_other'), 'organization_method'],
  ['through the connection of another and with a password', standing({}), arrival(null, 'con_other', 'password'), null],
  ...SignInMethod.enum.map(
    (method): Row => [
      `with ${method}, if a connection is required`,
      standing({}),
      required(method),
      'organization_method',
    ],
  ),
  [
    'with every method, if a connection is required',
    standing({}),
    required(...SignInMethod.enum),
    'organization_method',
  ],
  ['with an unrecorded method, if a connection is required', standing({}), required(), 'organization_method'],
  [
    'from another address with another method',
    standing({ ...OFFICE, ...PASSKEYS }),
    arrival('::1'),
    'organization_address',
  ],
];

describe('an organization refuses a person', () => {
  for (const [when, there, how, expected] of ROWS)
    test(`${when}: ${expected ?? 'nothing'}`, () => {
      assert.equal(organizationRefusal(there, how), expected);
    });
});
