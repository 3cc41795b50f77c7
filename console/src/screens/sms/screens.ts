import { lazyRouteComponent } from '@tanstack/react-router';

/** The screens of the SMS add-on, by their path in the project. */
export const smsScreens = [
  ['/sms', lazyRouteComponent(() => import('./Sms.tsx'), 'Sms')],
  ['/sms/guard', lazyRouteComponent(() => import('./Guard.tsx'), 'Guard')],
  ['/sms/statements', lazyRouteComponent(() => import('./Statements.tsx'), 'Statements')],
  ['/sms/statements/$id', lazyRouteComponent(() => import('./Statement.tsx'), 'Statement')],
] as const;
