import { sessionRoutes } from './session.console.ts';
import { setUpRoutes } from './set-up.page.ts';
import { teamRoutes } from './team.console.ts';
import { teamInvitationRoutes } from './team-invitations.console.ts';

/** Every route of this part, by surface. */
export const routes = {
  console: [...sessionRoutes, ...teamRoutes, ...teamInvitationRoutes],
  page: setUpRoutes,
};
