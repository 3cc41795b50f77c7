import { Type } from 'typebox';
import { inside, OrganizationRef } from '#organizations';
import { IdSchema } from '#platform/ids.ts';
import { PageOf } from '#platform/page.ts';
import { del, get, post, type Routes } from '#platform/route.ts';
import {
  getInvitationInside,
  inviteInside,
  listInvitationsInside,
  NewOrganizationInvitation,
  OrganizationInvitation,
  OrganizationInvitationQuery,
  resendInside,
  revokeInside,
} from './organization-invitations.ts';

const PATH = '/v1/me/organizations/:organizationId/invitations';
const ONE = `${PATH}/:invitationId`;
const Ref = Type.Object({ ...OrganizationRef.properties, invitationId: IdSchema('inv') });

const CHANGING = [...inside.problems, 'CONFLICT'] as const;

/** The invitations to an organization, for its members who may invite. */
export const organizationInvitationRoutes: Routes = [
  get(PATH, {
    permission: 'customer',
    summary: 'List the invitations to one of my organizations',
    description: 'Takes `org.invitations:read` in it.',
    params: OrganizationRef,
    query: OrganizationInvitationQuery,
    responses: { 200: PageOf(OrganizationInvitation) },
    problems: [...inside.problems, 'INVALID_CURSOR'],
    handler: (request) => listInvitationsInside(request.ctx, request.params.organizationId, request.query),
  }),
  post(PATH, {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Invite a person to one of my organizations',
    description:
      'Takes `org.invitations:write` in it, and every permission of the roles, except the project’s own permissions of a `delegable` role. The person becomes a member of the project, too. An organization sends up to 100 invitations in an hour.',
    params: OrganizationRef,
    body: NewOrganizationInvitation,
    responses: { 201: OrganizationInvitation },
    problems: [...CHANGING, 'ALREADY_EXISTS', 'RATE_LIMIT_EXCEEDED'],
    handler: (request) => inviteInside(request.ctx, request.params.organizationId, request.body),
  }),
  get(ONE, {
    permission: 'customer',
    etag: true,
    summary: 'Read an invitation to one of my organizations',
    description: 'Takes `org.invitations:read` in it.',
    params: Ref,
    responses: { 200: OrganizationInvitation },
    problems: inside.problems,
    handler: (request) => getInvitationInside(request.ctx, request.params),
  }),
  post(`${ONE}/resend`, {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Resend an invitation to one of my organizations',
    description: 'Takes the same permissions as sending it. The previous link becomes invalid.',
    params: Ref,
    responses: { 200: OrganizationInvitation },
    problems: [...CHANGING, 'RATE_LIMIT_EXCEEDED'],
    handler: (request) => resendInside(request.ctx, request.params),
  }),
  del(ONE, {
    permission: 'customer',
    freshProof: 'any factor',
    summary: 'Revoke an invitation to one of my organizations',
    description: 'Takes the same permissions as sending it.',
    params: Ref,
    responses: { 204: Type.Null() },
    problems: CHANGING,
    handler: (request) => revokeInside(request.ctx, request.params),
  }),
];
