import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';
import { events } from './events.ts';
import { removeDeadOperatorSessions } from './operator-sessions.ts';
import { sessionRoutes } from './session.console.ts';
import { setUpRoutes } from './set-up.page.ts';
import { teamRoutes } from './team.console.ts';
import { teamInvitationRoutes } from './team-invitations.console.ts';

export { answerForOperators } from './absent-operators.ts';
export { addOperatorAuthentication, workspaceScope } from './edge.ts';
export { installationOf, setUpConsole } from './installation.ts';
export { keepTeamsWhole } from './operator-erasure.ts';
export { endEveryOperatorSession, endWithAuthSessions } from './operator-sessions.ts';
export { amongOperators, createOperator } from './operators.ts';
export { createOwner, setUpLink } from './set-up.ts';
export { addTeamMember, ownersOf, teamsOf } from './team.ts';
export { permissionsForInstallation, TeamRole } from './team-roles.ts';
export { addProject, addWorkspace } from './workspaces.ts';

export const part = {
  events,
  routes: {
    console: [...sessionRoutes, ...teamRoutes, ...teamInvitationRoutes, ...setUpRoutes],
  },
  removals: [rowsOfWorkspace('team_invitations'), rowsOfWorkspace('team_members')],
  cleanUps: { removeDeadOperatorSessions },
} satisfies Part;
