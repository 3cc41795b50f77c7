import { sql } from 'kysely';
import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';
import { sealedIn } from '#platform/sealed.ts';
import { permissionsOfAbsent } from './absent-operators.ts';
import { events } from './events.ts';
import { keepTeamsOwned, leaveTeams } from './operator-erasure.ts';
import { endWithAuthSessions, removeDeadOperatorSessions } from './operator-sessions.ts';
import { sessionRoutes } from './session.console.ts';
import { setUpRoutes } from './set-up.page.ts';
import { teamRoutes } from './team.console.ts';
import { teamInvitationRoutes } from './team-invitations.console.ts';

export const part = {
  events,
  routes: {
    console: [...sessionRoutes, ...teamRoutes, ...teamInvitationRoutes, ...setUpRoutes],
  },
  sealed: {
    'console-client': sealedIn('console_installation', 'secret_sealed', sql.ref('client_id')),
    'console-sign-in': 'browsers',
  },
  removals: [rowsOfWorkspace('team_invitations'), rowsOfWorkspace('team_members')],
  cleanUps: { removeDeadOperatorSessions },
  carriage: {
    console_installation: { staysBecause: 'it is of the built-in workspace, which is not carried' },
    console_sessions: { staysBecause: 'operators have accounts of their own at each installation' },
    team_members: { staysBecause: 'operators have accounts of their own at each installation' },
    team_invitations: { staysBecause: 'an owner invites again at the other installation' },
  },
  sessions: { ended: endWithAuthSessions },
  erasure: { requested: keepTeamsOwned, erased: leaveTeams },
  permissionsNow: { operator: permissionsOfAbsent },
} satisfies Part;
