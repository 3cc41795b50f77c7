import { Type } from 'typebox';
import { define, type EventData, text, userId } from '#platform/event.ts';

const memberId = 'mem_01kaz3w9hqf8p9n2m4v5x6y7z8';
const Organization = Type.Object({ organizationId: text, name: text });
const organization = { organizationId: 'org_01kaz3w9hqf8p9n2m4v5x6y7z8', name: 'Acme' };
const OrganizationMember = Type.Object({ organizationId: text, memberId: text, userId: text });
const organizationMember = { organizationId: organization.organizationId, memberId, userId };
const Domain = Type.Object({ organizationId: text, domainId: text, host: text });
const domain = {
  organizationId: organization.organizationId,
  domainId: 'odm_01kaz3w9hqf8p9n2m4v5x6y7z8',
  host: 'example.com',
};
const DomainFault = Type.Object({ ...Domain.properties, fault: text });
const fault = 'There is no TXT record at _latchkey-verification.example.com.';
const OrganizationRole = Type.Object({ key: text });

export const events = {
  'organization.created': define('An organization was added.', Organization, organization),
  'organization.updated': define(
    'The name, slug or metadata of an organization changed.',
    Type.Object({ ...Organization.properties, fields: Type.Array(text) }),
    { ...organization, fields: ['name'] },
  ),
  'organization.policy.changed': define(
    'The policy of an organization changed.',
    Type.Object({ ...Organization.properties, fields: Type.Array(text) }),
    { ...organization, fields: ['mfa'] },
  ),
  'organization.branding.changed': define(
    'The branding of an organization changed.',
    Type.Object({ ...Organization.properties, fields: Type.Array(text) }),
    { ...organization, fields: ['logoUrl'] },
  ),
  'organization.blocked': define('An organization was blocked.', Organization, organization),
  'organization.unblocked': define('An organization was unblocked.', Organization, organization),
  'organization.deleted': define('An organization was deleted; its memberships ended.', Organization, organization),
  'organization.member.added': define(
    'A member of the project became a member of an organization.',
    Type.Object({ ...OrganizationMember.properties, roles: Type.Array(text) }),
    { ...organizationMember, roles: ['owner'] },
  ),
  'organization.member.roles.changed': define(
    'The roles of a member in an organization changed.',
    Type.Object({ ...OrganizationMember.properties, roles: Type.Array(text) }),
    { ...organizationMember, roles: ['billing'] },
  ),
  'organization.member.removed': define(
    'A person is no longer a member of an organization. At the erasure of an account, `membership.deleted` says so alone.',
    OrganizationMember,
    organizationMember,
  ),
  'organization.domain.created': define(
    'A mail domain was added to an organization; nobody joins by it until it is verified.',
    Domain,
    domain,
  ),
  'organization.domain.verified': define('A mail domain of an organization was verified.', Domain, domain),
  'organization.domain.checked': define(
    'The proof of a verified mail domain was looked up on request, and found.',
    Domain,
    domain,
  ),
  'organization.domain.updated': define(
    'Who joins an organization by a mail domain changed.',
    Type.Object({ ...Domain.properties, autoJoin: Type.Boolean(), roles: Type.Array(text) }),
    { ...domain, autoJoin: true, roles: ['billing'] },
  ),
  'organization.domain.check_failed': define(
    'The TXT record of a verified mail domain was not found. It is looked up again after an hour; if it is still missing, the domain is lost.',
    DomainFault,
    { ...domain, fault },
  ),
  'organization.domain.lost': define(
    'The TXT record of a mail domain is missing: nobody joins by it until it is verified again.',
    DomainFault,
    { ...domain, fault },
  ),
  'organization.domain.deleted': define('A mail domain of an organization was removed.', Domain, domain),
  'organization.role.created': define('A role of organizations was added.', OrganizationRole, { key: 'billing' }),
  'organization.role.updated': define('A role of organizations or its permissions changed.', OrganizationRole, {
    key: 'billing',
  }),
  'organization.role.deleted': define('A role of organizations was removed.', OrganizationRole, { key: 'billing' }),
};

declare module '#platform/event.ts' {
  interface Events extends EventData<typeof events> {}
}
