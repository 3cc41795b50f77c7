import { lazyRouteComponent } from '@tanstack/react-router';

/** The screens of organizations: path below the project, and component. */
export const organizationScreens: readonly (readonly [string, ReturnType<typeof lazyRouteComponent>])[] = [
  ['/organizations', lazyRouteComponent(() => import('./Organizations.tsx'), 'Organizations')],
  ['/organizations/roles', lazyRouteComponent(() => import('./OrganizationRoles.tsx'), 'OrganizationRoles')],
  ['/organizations/roles/$id', lazyRouteComponent(() => import('./OrganizationRole.tsx'), 'OrganizationRole')],
  ['/organizations/$id', lazyRouteComponent(() => import('./Organization.tsx'), 'Organization')],
  [
    '/organizations/$id/branding',
    lazyRouteComponent(() => import('./OrganizationBranding.tsx'), 'OrganizationBranding'),
  ],
  [
    '/organizations/$id/invitations',
    lazyRouteComponent(() => import('./OrganizationInvitations.tsx'), 'OrganizationInvitations'),
  ],
  ['/organizations/$id/domains', lazyRouteComponent(() => import('./OrganizationDomains.tsx'), 'OrganizationDomains')],
  [
    '/organizations/$id/domains/$domain',
    lazyRouteComponent(() => import('./OrganizationDomain.tsx'), 'OrganizationDomain'),
  ],
  [
    '/organizations/$id/connections',
    lazyRouteComponent(() => import('./OrganizationConnections.tsx'), 'OrganizationConnections'),
  ],
  [
    '/organizations/$id/connections/$connection',
    lazyRouteComponent(() => import('./OrganizationConnection.tsx'), 'OrganizationConnection'),
  ],
  ['/organizations/$id/directory', lazyRouteComponent(() => import('./Directory.tsx'), 'Directory')],
  ['/organizations/$id/directory/log', lazyRouteComponent(() => import('./ProvisioningLog.tsx'), 'ProvisioningLog')],
];
