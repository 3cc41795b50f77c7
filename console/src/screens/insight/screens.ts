import { lazyRouteComponent } from '@tanstack/react-router';

/** The screens of insight, by their path in the project. */
export const insightScreens = [['/insight', lazyRouteComponent(() => import('./Insight.tsx'), 'Insight')]] as const;
