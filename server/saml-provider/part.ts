import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { sealedIn } from '#platform/sealed.ts';
import { samlProviderRoutes } from './applications.admin.ts';
import { events } from './events.ts';
import { keyRoutes } from './keys.admin.ts';
import { logoutRoutes } from './logout.auth.ts';
import { signInRoutes } from './sign-in.auth.ts';

export const part = {
  events,
  routes: { auth: [...signInRoutes, ...logoutRoutes], admin: [...samlProviderRoutes, ...keyRoutes] },
  sealed: { 'saml-key': sealedIn('saml_keys', 'private_sealed'), 'saml-request': 'browsers' },
  removals: [rowsOfProject('saml_keys')],
} satisfies Part;
