import { lazyRouteComponent } from '@tanstack/react-router';

/** The screens of the logs, by their path in the project. */
export const logsScreens = [
  ['/events', lazyRouteComponent(() => import('./Events.tsx'), 'Events')],
  ['/audit', lazyRouteComponent(() => import('./Audit.tsx'), 'Audit')],
] as const;
