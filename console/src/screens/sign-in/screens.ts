import { lazyRouteComponent } from '@tanstack/react-router';

/** The screens of signing in: methods, identity providers, branding, by their path in the project. */
export const signInScreens = [
  ['/sign-in', lazyRouteComponent(() => import('./SignIn.tsx'), 'SignIn')],
  ['/providers', lazyRouteComponent(() => import('./Providers.tsx'), 'Providers')],
  ['/providers/$id', lazyRouteComponent(() => import('./Provider.tsx'), 'Provider')],
  ['/branding', lazyRouteComponent(() => import('./Branding.tsx'), 'Branding')],
] as const;
