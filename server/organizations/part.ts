import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { customDomainRoutes } from './custom-domains.admin.ts';
import { ownCustomDomainRoutes } from './custom-domains.me.ts';
import { events } from './events.ts';
import { hasJoiningDomain, joinByDomain } from './joining-by-domain.ts';
import { known, memberships } from './memberships-in-bulk.ts';
import { organizationBrandingRoutes } from './organization-branding.admin.ts';
import { ownBrandingRoutes } from './organization-branding.me.ts';
import { recheckOrganizationDomains } from './organization-domain-checks.ts';
import { organizationDomainRoutes } from './organization-domains.admin.ts';
import { ownDomainRoutes } from './organization-domains.me.ts';
import { organizationManagementRoutes } from './organization-management.me.ts';
import { organizationMemberRoutes } from './organization-members.admin.ts';
import { leaveOrganizations } from './organization-members.ts';
import { organizationRoleRoutes } from './organization-roles.admin.ts';
import { rolesGranting } from './organization-roles.ts';
import { organizationRoutes } from './organizations.admin.ts';
import { ownOrganizationRoutes } from './organizations.me.ts';
import { organizationPolicyRoutes } from './policies.admin.ts';
import { ownPolicyRoutes } from './policies.me.ts';
import { standing } from './standing.ts';

export const part = {
  events,
  permissions: {
    'organizations:read': 'See organizations and their members',
    'organizations:write': 'Add, change, block and remove organizations, and change their members',
  },
  routes: {
    me: [
      ...ownOrganizationRoutes,
      ...organizationManagementRoutes,
      ...ownBrandingRoutes,
      ...ownCustomDomainRoutes,
      ...ownDomainRoutes,
      ...ownPolicyRoutes,
    ],
    admin: [
      ...organizationRoutes,
      ...organizationPolicyRoutes,
      ...organizationBrandingRoutes,
      ...customDomainRoutes,
      ...organizationMemberRoutes,
      ...organizationRoleRoutes,
      ...organizationDomainRoutes,
    ],
  },
  standing,
  organizations: { memberships, rolesGranting, known },
  organizationRoles: {
    organization_members: { rows: 'members', columns: ['roles'] },
    organization_domains: { rows: 'mail domains', columns: ['roles'] },
  },
  entering: { concerns: hasJoiningDomain, enter: joinByDomain },
  leaving: leaveOrganizations,
  cleanUps: { recheckOrganizationDomains },
  removals: [
    rowsOfProject('organizations', 'organization_members', 'organization_departures', 'organization_domains'),
    rowsOfProject('organization_roles', 'organization_role_permissions'),
  ],
} satisfies Part;
