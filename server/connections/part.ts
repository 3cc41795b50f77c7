import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { sealedIn } from '#platform/sealed.ts';
import { endWithMembership, unlinkConnections } from './connection-changes.ts';
import { connectionRoutes } from './connections.admin.ts';
import { ownConnectionRoutes } from './connections.me.ts';
import { events } from './events.ts';
import { proofCounts } from './proofs-through-connections.ts';
import { refreshSamlMetadata } from './saml-refresh.ts';

export const part = {
  events,
  routes: { me: ownConnectionRoutes, admin: connectionRoutes },
  sealed: {
    'connection-secret': sealedIn('organization_connections', 'secret_sealed'),
    'connection-keys': sealedIn('organization_connections', 'keys_sealed'),
  },
  proofCounts,
  sessions: { inOrganization: endWithMembership },
  organizationDeleted: unlinkConnections,
  cleanUps: { refreshSamlMetadata },
  organizationRoles: { organization_connections: { rows: 'connections', columns: ['roles', 'group_roles'] } },
  removals: [rowsOfProject('organization_connections')],
} satisfies Part;
