import { lazyRouteComponent } from '@tanstack/react-router';

/** The screens of APIs, by their path in the project. */
export const apisScreens = [
  ['/apis', lazyRouteComponent(() => import('./Apis.tsx'), 'Apis')],
  ['/apis/$id', lazyRouteComponent(() => import('./Api.tsx'), 'Api')],
] as const;
