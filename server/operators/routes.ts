import { sessionRoutes } from './session.console.ts';
import { setUpRoutes } from './set-up.page.ts';
import { teamRoutes } from './team.console.ts';
import { teamInvitationRoutes } from './team-invitations.console.ts';

/** Everything that is served here, by surface. */
export const routes = {
  console: [...sessionRoutes, ...teamRoutes, ...teamInvitationRoutes],
  page: setUpRoutes,
};
