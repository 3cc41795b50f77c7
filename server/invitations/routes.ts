import { invitationRoutes } from './project-invitations.admin.ts';

/** Every route of this part, by surface. */
export const routes = {
  admin: invitationRoutes,
};
