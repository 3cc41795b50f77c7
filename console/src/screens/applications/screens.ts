import { lazyRouteComponent } from '@tanstack/react-router';

/** The screens of applications, by their path in the project. */
export const applicationsScreens = [
  ['/applications', lazyRouteComponent(() => import('./Applications.tsx'), 'Applications')],
  ['/applications/new', lazyRouteComponent(() => import('./NewApplication.tsx'), 'NewApplication')],
  ['/applications/$id', lazyRouteComponent(() => import('./Application.tsx'), 'Application')],
] as const;
