import { Type } from 'typebox';
import { IdSchema } from '#platform/ids.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { get, post, type Routes } from '#platform/route.ts';
import { acceptOwnInvitation, declineOwnInvitation, listOwnInvitations, OwnInvitation } from './own-invitations.ts';

const PATH = '/v1/me/invitations';
const Ref = Type.Object({ invitationId: IdSchema('inv') });

/** The invitations to the signed-in person in the project of the session. */
export const ownInvitationRoutes: Routes = [
  get(PATH, {
    permission: 'customer',
    summary: 'List my open invitations',
    description: 'Those to my verified address, in the project of the session.',
    query: PageQuery,
    responses: { 200: PageOf(OwnInvitation) },
    problems: ['INVALID_CURSOR'],
    handler: (request) => listOwnInvitations(request.ctx, request.query),
  }),
  post(`${PATH}/:invitationId/accept`, {
    permission: 'customer',
    summary: 'Accept one of my invitations',
    description: 'As by its link. The session stays in the organization that it is in.',
    params: Ref,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND', 'CONFLICT', 'REAUTHENTICATION_REQUIRED'],
    handler: (request) => acceptOwnInvitation(request.ctx, request.params.invitationId),
  }),
  post(`${PATH}/:invitationId/decline`, {
    permission: 'customer',
    summary: 'Decline one of my invitations',
    description: 'Its link becomes invalid, and the person can be invited again.',
    params: Ref,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND'],
    handler: (request) => declineOwnInvitation(request.ctx, request.params.invitationId),
  }),
];
