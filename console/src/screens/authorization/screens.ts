import { lazyRouteComponent } from '@tanstack/react-router';

/** The screens of authorization, by their path in the project. */
export const authorizationScreens = [
  ['/authorization', lazyRouteComponent(() => import('./Check.tsx'), 'Check')],
  ['/authorization/types', lazyRouteComponent(() => import('./ResourceTypes.tsx'), 'ResourceTypes')],
  ['/authorization/types/$id', lazyRouteComponent(() => import('./ResourceType.tsx'), 'ResourceType')],
  ['/authorization/relations', lazyRouteComponent(() => import('./Relations.tsx'), 'Relations')],
] as const;
