import { Type } from 'typebox';
import { PageOf, PageQuery } from '#platform/page.ts';
import { del, get, post, type Routes } from '#platform/route.ts';
import {
  inviteToTeam,
  listTeamInvitations,
  NewTeamInvitation,
  resendTeamInvitation,
  revokeTeamInvitation,
  TeamInvitation,
  TeamInvitationRef,
} from './team-invitations.ts';

export const teamInvitationRoutes: Routes = [
  get('/console/v1/team/invitations', {
    permission: 'team:read',
    level: 'workspace',
    summary: 'List invitations to the team',
    query: PageQuery,
    responses: { 200: PageOf(TeamInvitation) },
    problems: ['INVALID_CURSOR'],
    handler: ({ ctx, query }) => listTeamInvitations(ctx, query),
  }),
  post('/console/v1/team/invitations', {
    permission: 'team:write',
    stepUp: true,
    level: 'workspace',
    summary: 'Invite a person to the team',
    body: NewTeamInvitation,
    responses: { 201: TeamInvitation },
    problems: ['ALREADY_EXISTS', 'REAUTHENTICATION_REQUIRED'],
    handler: ({ ctx, body }) => inviteToTeam(ctx, body),
  }),
  post('/console/v1/team/invitations/:teamInvitationId/resend', {
    permission: 'team:write',
    stepUp: true,
    level: 'workspace',
    summary: 'Resend an invitation to the team',
    params: TeamInvitationRef,
    responses: { 200: TeamInvitation },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: ({ ctx, params }) => resendTeamInvitation(ctx, params.teamInvitationId),
  }),
  del('/console/v1/team/invitations/:teamInvitationId', {
    permission: 'team:write',
    stepUp: false,
    level: 'workspace',
    summary: 'Revoke an invitation to the team',
    params: TeamInvitationRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: ({ ctx, params }) => revokeTeamInvitation(ctx, params.teamInvitationId),
  }),
];
