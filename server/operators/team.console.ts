import { Type } from 'typebox';
import { PageOf, PageQuery } from '#platform/page.ts';
import { del, get, patch, type Routes } from '#platform/route.ts';
import {
  changeTeamMember,
  getTeamMember,
  listTeam,
  removeTeamMember,
  TeamMember,
  TeamMemberRef,
  TeamRoleChange,
} from './team.ts';
import { TeamRole, teamRoles } from './team-roles.ts';

const TeamRoleRow = Type.Object({
  role: TeamRole,
  description: Type.String(),
  permissions: Type.Array(Type.String()),
});

export const teamRoutes: Routes = [
  get('/console/v1/team', {
    permission: 'team:read',
    level: 'workspace',
    summary: 'List the team',
    query: PageQuery,
    responses: { 200: PageOf(TeamMember) },
    problems: ['INVALID_CURSOR'],
    handler: ({ ctx, query }) => listTeam(ctx, query),
  }),
  get('/console/v1/team/roles', {
    permission: 'operator',
    summary: 'List the roles of a team',
    description: 'The permissions of each role, as the server enforces them.',
    responses: { 200: Type.Object({ items: Type.Array(TeamRoleRow), nextCursor: Type.Null() }) },
    handler: ({ server }) => ({ items: teamRoles(server.system), nextCursor: null }),
  }),
  get('/console/v1/team/:teamMemberId', {
    permission: 'team:read',
    level: 'workspace',
    etag: true,
    summary: 'Read a team member',
    params: TeamMemberRef,
    responses: { 200: TeamMember },
    problems: ['NOT_FOUND'],
    handler: ({ ctx, params }) => getTeamMember(ctx, params.teamMemberId),
  }),
  patch('/console/v1/team/:teamMemberId', {
    permission: 'team:write',
    stepUp: true,
    level: 'workspace',
    summary: 'Change the role of a team member',
    params: TeamMemberRef,
    body: TeamRoleChange,
    responses: { 200: TeamMember },
    problems: ['NOT_FOUND', 'LAST_OWNER', 'REAUTHENTICATION_REQUIRED'],
    handler: ({ ctx, params, body }) => changeTeamMember(ctx, params.teamMemberId, body.role),
  }),
  del('/console/v1/team/:teamMemberId', {
    permission: 'team:write',
    stepUp: true,
    level: 'workspace',
    summary: 'Remove a team member',
    params: TeamMemberRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND', 'LAST_OWNER', 'REAUTHENTICATION_REQUIRED'],
    handler: ({ ctx, params }) => removeTeamMember(ctx, params.teamMemberId),
  }),
];
