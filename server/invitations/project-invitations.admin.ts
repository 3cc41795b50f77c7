import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { PageOf } from '#platform/page.ts';
import { problemResponses } from '#platform/problem.ts';
import {
  getInvitation,
  Invitation,
  InvitationQuery,
  invite,
  listInvitations,
  NewInvitation,
  resendInvitation,
  revokeInvitation,
} from './project-invitations.ts';

const InvitationRef = Type.Object({ invitationId: IdSchema('inv') });

export const invitationRoutes: Routes = (app) => {
  app.get(
    '/v1/admin/invitations',
    {
      config: { permission: 'invitations:read' },
      schema: {
        summary: 'List invitations',
        querystring: InvitationQuery,
        response: { 200: PageOf(Invitation), ...problemResponses('INVALID_CURSOR') },
      },
    },
    (request) => listInvitations(request.ctx, request.query),
  );

  app.post(
    '/v1/admin/invitations',
    {
      config: { permission: 'invitations:write', stepUp: true },
      schema: {
        summary: 'Invite somebody',
        body: NewInvitation,
        response: { 201: Invitation, ...problemResponses('ALREADY_EXISTS') },
      },
    },
    async (request, reply) => reply.code(201).send(await invite(request.ctx, request.body)),
  );

  app.get(
    '/v1/admin/invitations/:invitationId',
    {
      config: { permission: 'invitations:read', etag: true },
      schema: {
        summary: 'Read an invitation',
        params: InvitationRef,
        response: { 200: Invitation, ...problemResponses('NOT_FOUND') },
      },
    },
    (request) => getInvitation(request.ctx, request.params.invitationId),
  );

  app.post(
    '/v1/admin/invitations/:invitationId/resend',
    {
      config: { permission: 'invitations:write', stepUp: true },
      schema: {
        summary: 'Mail an invitation again',
        params: InvitationRef,
        response: { 200: Invitation, ...problemResponses('NOT_FOUND', 'CONFLICT') },
      },
    },
    (request) => resendInvitation(request.ctx, request.params.invitationId),
  );

  app.delete(
    '/v1/admin/invitations/:invitationId',
    {
      config: { permission: 'invitations:write', stepUp: false },
      schema: {
        summary: 'Revoke an invitation',
        params: InvitationRef,
        response: { 204: Type.Null(), ...problemResponses('NOT_FOUND', 'CONFLICT') },
      },
    },
    async (request, reply) => {
      await revokeInvitation(request.ctx, request.params.invitationId);
      return reply.code(204).send(null);
    },
  );
};
