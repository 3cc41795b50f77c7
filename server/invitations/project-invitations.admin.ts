import { Type } from 'typebox';
import { IdSchema } from '#platform/ids.ts';
import { PageOf } from '#platform/page.ts';
import { del, get, post, type Routes } from '#platform/route.ts';
import { Invitation, InvitationQuery, NewInvitation } from './invitation-records.ts';
import { getInvitation, invite, listInvitations, resendInvitation, revokeInvitation } from './project-invitations.ts';

const InvitationRef = Type.Object({ invitationId: IdSchema('inv') });

export const invitationRoutes: Routes = [
  get('/v1/admin/invitations', {
    permission: 'invitations:read',
    summary: 'List invitations',
    query: InvitationQuery,
    responses: { 200: PageOf(Invitation) },
    problems: ['INVALID_CURSOR'],
    handler: (request) => listInvitations(request.ctx, request.query),
  }),
  post('/v1/admin/invitations', {
    permission: 'invitations:write',
    stepUp: true,
    summary: 'Invite a person',
    body: NewInvitation,
    responses: { 201: Invitation },
    problems: ['ALREADY_EXISTS', 'NOT_FOUND', 'CONFLICT'],
    handler: (request) => invite(request.ctx, request.body),
  }),
  get('/v1/admin/invitations/:invitationId', {
    permission: 'invitations:read',
    etag: true,
    summary: 'Read an invitation',
    params: InvitationRef,
    responses: { 200: Invitation },
    problems: ['NOT_FOUND'],
    handler: (request) => getInvitation(request.ctx, request.params.invitationId),
  }),
  post('/v1/admin/invitations/:invitationId/resend', {
    permission: 'invitations:write',
    stepUp: true,
    summary: 'Resend an invitation',
    params: InvitationRef,
    responses: { 200: Invitation },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) => resendInvitation(request.ctx, request.params.invitationId),
  }),
  del('/v1/admin/invitations/:invitationId', {
    permission: 'invitations:write',
    stepUp: false,
    summary: 'Revoke an invitation',
    params: InvitationRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) => revokeInvitation(request.ctx, request.params.invitationId),
  }),
];
