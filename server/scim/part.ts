import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { events } from './events.ts';
import { deleteOldEntries } from './provisioning-log.ts';
import { scimRoutes } from './resources.scim.ts';
import { scimAdminRoutes } from './scim.admin.ts';
import { ownDirectoryRoutes } from './scim.me.ts';

export const part = {
  events,
  routes: { scim: scimRoutes, me: ownDirectoryRoutes, admin: scimAdminRoutes },
  organizationRoles: { scim_groups: { rows: 'groups of directories', columns: ['roles'] } },
  removals: [
    rowsOfProject('scim_groups', 'scim_group_members'),
    rowsOfProject('scim_users'),
    rowsOfProject('scim_tokens'),
    rowsOfProject('scim_log'),
  ],
  cleanUps: { deleteOldEntries },
} satisfies Part;
