import type { Part } from '#platform/part.ts';
import { samlProviderRoutes } from './applications.admin.ts';
import { events } from './events.ts';
import { logoutRoutes } from './logout.auth.ts';
import { signInRoutes } from './sign-in.auth.ts';

export const part = {
  events,
  routes: { auth: [...signInRoutes, ...logoutRoutes], admin: samlProviderRoutes },
  sealed: { 'saml-request': 'browsers' },
} satisfies Part;
