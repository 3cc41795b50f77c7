import { invitationRoutes } from './project-invitations.admin.ts';

/** Everything that is served here, by surface. */
export const routes = {
  admin: invitationRoutes,
};
