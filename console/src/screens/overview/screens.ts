import { lazyRouteComponent } from '@tanstack/react-router';

/** The screens of the overview, by their path in the project. */
export const overviewScreens = [['/', lazyRouteComponent(() => import('./Overview.tsx'), 'Overview')]] as const;
