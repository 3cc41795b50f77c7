import { lazyRouteComponent } from '@tanstack/react-router';

/** The screens of domains, by their path in the project. */
export const domainsScreens = [
  ['/domains', lazyRouteComponent(() => import('./Domains.tsx'), 'Domains')],
  ['/domains/$id', lazyRouteComponent(() => import('./Domain.tsx'), 'Domain')],
] as const;
