import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EffectivePolicy, Standing } from '#platform/standing.ts';
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
const coming = (ip: string | null | undefined, ...signInMethods: string[]) => ({ ip, signInMethods });

type Row = [when: string, Standing | undefined, ReturnType<typeof coming>, OrganizationRefusal | null];
const OFFICE = { addresses: ['203.0.113.0/24', '2001:db8::/32'] };
const PASSKEYS = { signInMethods: ['passkey'] };
const ROWS: readonly Row[] = [
  ['nobody there', undefined, coming('203.0.113.7'), 'no_organization'],
  ['without a policy', standing({}), coming(null), null],
  ['blocked', standing(OFFICE, 'blocked'), coming('198.51.100.1'), 'organization_blocked'],
  ['from the office', standing(OFFICE), coming('203.0.113.7'), null],
  ['from the office by IPv6', standing(OFFICE), coming('2001:db8:1::1'), null],
  ['from the office, as an IPv4-mapped address', standing(OFFICE), coming('::ffff:203.0.113.7'), null],
  ['from elsewhere', standing(OFFICE), coming('203.0.114.7'), 'organization_address'],
  ['from nowhere known', standing(OFFICE), coming(null), 'organization_address'],
  ['through an application’s server', standing(OFFICE), coming(undefined), null],
  ['with an allowed way', standing(PASSKEYS), coming(null, 'password', 'passkey'), null],
  ['with another way', standing(PASSKEYS), coming(null, 'password'), 'organization_method'],
  ['with an unrecorded way', standing(PASSKEYS), coming(null), 'organization_method'],
  ['where no way is left', standing({ signInMethods: [] }), coming(null, 'password'), 'organization_method'],
  ['from elsewhere in another way', standing({ ...OFFICE, ...PASSKEYS }), coming('::1'), 'organization_address'],
];

describe('what keeps a person from an organization', () => {
  for (const [when, there, how, expected] of ROWS)
    test(`${when}: ${expected ?? 'nothing'}`, () => {
      assert.equal(organizationRefusal(there, how), expected);
    });
});
