import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { events } from './events.ts';
import { organizationManagementRoutes } from './organization-management.me.ts';
import { organizationMemberRoutes } from './organization-members.admin.ts';
import { leaveOrganizations } from './organization-members.ts';
import { organizationRoleRoutes } from './organization-roles.admin.ts';
import { organizationRoutes } from './organizations.admin.ts';
import { ownOrganizationRoutes } from './organizations.me.ts';
import { organizationPolicyRoutes } from './policies.admin.ts';
import { standing } from './standing.ts';

export const part = {
  events,
  permissions: {
    'organizations:read': 'See organizations and their members',
    'organizations:write': 'Add, change, block and remove organizations, and change their members',
  },
  routes: {
    me: [...ownOrganizationRoutes, ...organizationManagementRoutes],
    admin: [...organizationRoutes, ...organizationPolicyRoutes, ...organizationMemberRoutes, ...organizationRoleRoutes],
  },
  standing,
  leaving: leaveOrganizations,
  removals: [
    rowsOfProject('organizations', 'organization_members'),
    rowsOfProject('organization_roles', 'organization_role_permissions'),
  ],
} satisfies Part;
