import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { sealedIn } from '#platform/sealed.ts';
import { permissionsOfAbsent } from './absent-clients.ts';
import { applicationRoutes } from './applications.admin.ts';
import { events } from './events.ts';
import { identityProviderRoutes } from './identity-providers.admin.ts';
import { registrationRoutes } from './registration.auth.ts';
import { registrationTokenRoutes } from './registration-tokens.admin.ts';

export const part = {
  events,
  routes: {
    auth: registrationRoutes,
    admin: [...applicationRoutes, ...identityProviderRoutes, ...registrationTokenRoutes],
  },
  permissions: {
    'applications:read': 'See applications',
    'applications:write': 'Add, change and remove applications and their secrets',
    'applications:trust': 'Add and change first-party applications, which need no consent',
    'applications:delegate': 'Let applications act for people by token exchange',
    'providers:read': 'See identity providers',
    'providers:write': 'Change identity providers',
  },
  sealed: { 'identity-provider-secret': sealedIn('identity_providers', 'client_secret_sealed') },
  removals: [
    rowsOfProject('applications', 'application_secrets'),
    rowsOfProject('registration_tokens'),
    rowsOfProject('identity_providers'),
  ],
  permissionsNow: { management: permissionsOfAbsent },
} satisfies Part;
