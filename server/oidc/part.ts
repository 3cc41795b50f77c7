import type { Part } from '#platform/part.ts';
import { bearerTokens, oidcCleanup } from './adapter.ts';
import { usedApplicationRoutes } from './applications.me.ts';
import { sessionSteps } from './bound-sessions.ts';
import { events } from './events.ts';
import { impersonationRoutes } from './impersonation.admin.ts';
import { ownImpersonationRoutes } from './impersonation.me.ts';
import { endForbidden } from './impersonation.ts';
import { providerRoutes } from './provider.auth.ts';
import { consents, records } from './removal.ts';

export const part = {
  events,
  routes: {
    auth: providerRoutes,
    me: [...usedApplicationRoutes, ...ownImpersonationRoutes],
    admin: impersonationRoutes,
  },
  permissions: {
    'members:impersonate': 'Act as members',
  },
  sealed: { 'oidc-token': bearerTokens },
  removals: [consents, records],
  cleanUps: { oidcCleanup },
  sessions: sessionSteps,
  permissionsChanged: endForbidden,
} satisfies Part;
