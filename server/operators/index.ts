export { addOperatorAuthentication, workspaceScope } from './edge.ts';
export { installationOf, setUpConsole } from './installation.ts';
export { endEveryOperatorSession } from './operator-sessions.ts';
export { amongOperators, createOperator } from './operators.ts';
export { part } from './part.ts';
export { createOwner, setUpLink } from './set-up.ts';
export { addTeamMember, ownersOf, teamContacts, teamsOf } from './team.ts';
export { permissionsForInstallation, TeamRole } from './team-roles.ts';
export { addProject, addWorkspace } from './workspaces.ts';
