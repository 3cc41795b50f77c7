import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { problemResponses } from '#platform/problem.ts';
import {
  inviteToTeam,
  listTeamInvitations,
  NewTeamInvitation,
  resendTeamInvitation,
  revokeTeamInvitation,
  TeamInvitation,
  TeamInvitationRef,
} from './team-invitations.ts';

export const teamInvitationRoutes: Routes = (app) => {
  app.get(
    '/console/v1/team/invitations',
    {
      config: { permission: 'team:read', level: 'workspace' },
      schema: {
        summary: 'List invitations to the team',
        querystring: PageQuery,
        response: { 200: PageOf(TeamInvitation), ...problemResponses('INVALID_CURSOR') },
      },
    },
    ({ ctx, query }) => listTeamInvitations(ctx, query),
  );

  app.post(
    '/console/v1/team/invitations',
    {
      config: { permission: 'team:write', stepUp: true, level: 'workspace' },
      schema: {
        summary: 'Invite somebody to the team',
        body: NewTeamInvitation,
        response: { 201: TeamInvitation, ...problemResponses('ALREADY_EXISTS', 'REAUTHENTICATION_REQUIRED') },
      },
    },
    async ({ ctx, body }, reply) => reply.code(201).send(await inviteToTeam(ctx, body)),
  );

  app.post(
    '/console/v1/team/invitations/:teamInvitationId/resend',
    {
      config: { permission: 'team:write', stepUp: true, level: 'workspace' },
      schema: {
        summary: 'Mail an invitation to the team again',
        params: TeamInvitationRef,
        response: { 200: TeamInvitation, ...problemResponses('NOT_FOUND', 'CONFLICT') },
      },
    },
    ({ ctx, params }) => resendTeamInvitation(ctx, params.teamInvitationId),
  );

  app.delete(
    '/console/v1/team/invitations/:teamInvitationId',
    {
      config: { permission: 'team:write', stepUp: false, level: 'workspace' },
      schema: {
        summary: 'Take an invitation to the team back',
        params: TeamInvitationRef,
        response: { 204: Type.Null(), ...problemResponses('NOT_FOUND', 'CONFLICT') },
      },
    },
    async ({ ctx, params }, reply) => {
      await revokeTeamInvitation(ctx, params.teamInvitationId);
      return reply.code(204).send(null);
    },
  );
};
