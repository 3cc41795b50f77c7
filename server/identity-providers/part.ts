import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { sealedIn } from '#platform/sealed.ts';
import { events } from './events.ts';
import { identityProviderRoutes } from './identity-providers.admin.ts';

export const part = {
  events,
  routes: { admin: identityProviderRoutes },
  permissions: {
    'providers:read': 'See identity providers',
    'providers:write': 'Change identity providers',
  },
  sealed: { 'identity-provider-secret': sealedIn('identity_providers', 'client_secret_sealed') },
  removals: [rowsOfProject('identity_providers')],
} satisfies Part;
