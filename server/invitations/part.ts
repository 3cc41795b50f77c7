import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { events } from './events.ts';
import { organizationInvitationRoutes } from './organization-invitations.me.ts';
import { ownInvitationRoutes } from './own-invitations.me.ts';
import { invitationRoutes } from './project-invitations.admin.ts';

export const part = {
  events,
  routes: {
    me: [...ownInvitationRoutes, ...organizationInvitationRoutes],
    admin: invitationRoutes,
  },
  permissions: {
    'invitations:read': 'See invitations',
    'invitations:write': 'Invite people and revoke invitations',
  },
  removals: [rowsOfProject('invitations')],
} satisfies Part;
