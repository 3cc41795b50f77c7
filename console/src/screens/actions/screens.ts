import { lazyRouteComponent } from '@tanstack/react-router';

/** The screens of actions, by their path in the project. */
export const actionsScreens = [
  ['/actions', lazyRouteComponent(() => import('./Actions.tsx'), 'Actions')],
  ['/actions/$id', lazyRouteComponent(() => import('./Action.tsx'), 'Action')],
] as const;
