import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { problemResponses } from '#platform/problem.ts';
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

export const teamRoutes: Routes = (app) => {
  app.get(
    '/console/v1/team',
    {
      config: { permission: 'team:read', level: 'workspace' },
      schema: {
        summary: 'List the team',
        querystring: PageQuery,
        response: { 200: PageOf(TeamMember), ...problemResponses('INVALID_CURSOR') },
      },
    },
    ({ ctx, query }) => listTeam(ctx, query),
  );

  app.get(
    '/console/v1/team/roles',
    {
      config: { permission: 'operator' },
      schema: {
        summary: 'List the roles of a team',
        description: 'What each role may do: the table the server enforces.',
        response: { 200: Type.Object({ items: Type.Array(TeamRoleRow), nextCursor: Type.Null() }) },
      },
    },
    () => ({ items: teamRoles, nextCursor: null }),
  );

  app.get(
    '/console/v1/team/:teamMemberId',
    {
      config: { permission: 'team:read', level: 'workspace', etag: true },
      schema: {
        summary: 'Read a team member',
        params: TeamMemberRef,
        response: { 200: TeamMember, ...problemResponses('NOT_FOUND') },
      },
    },
    ({ ctx, params }) => getTeamMember(ctx, params.teamMemberId),
  );

  app.patch(
    '/console/v1/team/:teamMemberId',
    {
      config: { permission: 'team:write', stepUp: true, level: 'workspace' },
      schema: {
        summary: 'Change the role of a team member',
        params: TeamMemberRef,
        body: TeamRoleChange,
        response: { 200: TeamMember, ...problemResponses('NOT_FOUND', 'LAST_OWNER', 'REAUTHENTICATION_REQUIRED') },
      },
    },
    ({ ctx, params, body }) => changeTeamMember(ctx, params.teamMemberId, body.role),
  );

  app.delete(
    '/console/v1/team/:teamMemberId',
    {
      config: { permission: 'team:write', stepUp: true, level: 'workspace' },
      schema: {
        summary: 'Remove a team member',
        params: TeamMemberRef,
        response: { 204: Type.Null(), ...problemResponses('NOT_FOUND', 'LAST_OWNER', 'REAUTHENTICATION_REQUIRED') },
      },
    },
    async ({ ctx, params }, reply) => {
      await removeTeamMember(ctx, params.teamMemberId);
      return reply.code(204).send(null);
    },
  );
};
