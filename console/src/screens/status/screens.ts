import { lazyRouteComponent } from '@tanstack/react-router';

/** The screens of the status, by their path in the project. */
export const statusScreens = [
  ['/status', lazyRouteComponent(() => import('./Status.tsx'), 'Status')],
  ['/status/components', lazyRouteComponent(() => import('./Components.tsx'), 'Components')],
  ['/status/components/$id', lazyRouteComponent(() => import('./Component.tsx'), 'Component')],
  ['/status/groups/$id', lazyRouteComponent(() => import('./Group.tsx'), 'Group')],
  ['/status/maintenance', lazyRouteComponent(() => import('./Maintenances.tsx'), 'Maintenances')],
  ['/status/maintenance/$id', lazyRouteComponent(() => import('./Maintenance.tsx'), 'Maintenance')],
  ['/status/templates', lazyRouteComponent(() => import('./Templates.tsx'), 'Templates')],
  ['/status/templates/$id', lazyRouteComponent(() => import('./Template.tsx'), 'Template')],
  ['/status/subscribers', lazyRouteComponent(() => import('./Subscribers.tsx'), 'Subscribers')],
  ['/status/settings', lazyRouteComponent(() => import('./Settings.tsx'), 'Settings')],
  ['/status/$id', lazyRouteComponent(() => import('./Incident.tsx'), 'Incident')],
] as const;
