import { lazyRouteComponent } from '@tanstack/react-router';

/** The screen of promotion, by its path in the project. */
export const promotionScreens = [
  ['/promotion', lazyRouteComponent(() => import('./Promotion.tsx'), 'Promotion')],
] as const;
