import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { permissionsOfAbsent } from './absent-clients.ts';
import { applicationRoutes } from './applications.admin.ts';
import { events } from './events.ts';
import { permissionHolders } from './permission-holders.ts';
import { registrationRoutes } from './registration.auth.ts';
import { registrationTokenRoutes } from './registration-tokens.admin.ts';
import { refreshServiceProviders } from './saml-refresh.ts';

export const part = {
  events,
  routes: {
    auth: registrationRoutes,
    admin: [...applicationRoutes, ...registrationTokenRoutes],
  },
  permissions: {
    'applications:read': 'See applications',
    'applications:write': 'Add, change and remove applications and their secrets',
    'applications:trust': 'Add and change first-party applications, which need no consent',
    'applications:delegate': 'Let applications act for people by token exchange',
  },
  removals: [rowsOfProject('applications', 'application_secrets'), rowsOfProject('registration_tokens')],
  cleanUps: { refreshServiceProviders },
  permissionsNow: { management: permissionsOfAbsent },
  permissionHolders,
} satisfies Part;
