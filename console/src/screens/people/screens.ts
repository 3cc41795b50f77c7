import { lazyRouteComponent } from '@tanstack/react-router';

/** The screens of people: members, invitations, roles, by their path in the project. */
export const peopleScreens = [
  ['/members', lazyRouteComponent(() => import('./Members.tsx'), 'Members')],
  ['/members/import', lazyRouteComponent(() => import('./Imports.tsx'), 'Imports')],
  ['/members/import/$id', lazyRouteComponent(() => import('./Import.tsx'), 'Import')],
  ['/members/$id', lazyRouteComponent(() => import('./Member.tsx'), 'Member')],
  ['/members/$id/edit', lazyRouteComponent(() => import('./MemberEdit.tsx'), 'MemberEdit')],
  ['/invitations', lazyRouteComponent(() => import('./Invitations.tsx'), 'Invitations')],
  ['/roles', lazyRouteComponent(() => import('./Roles.tsx'), 'Roles')],
] as const;
