import { Type } from 'typebox';
import { askBreachedAhead } from '#passwords';
import { del, patch, post, type Routes } from '#platform/route.ts';
import { removeMember } from './leaving.ts';
import { MemberChanges, NewMember, provisionMember, updateMember } from './member-provisioning.ts';
import { Member, MemberRef } from './members.ts';

/** A back end adds, changes and removes members. */
export const provisioningRoutes: Routes = [
  post('/v1/admin/members', {
    permission: 'members:write',
    stepUp: true,
    ahead: askBreachedAhead,
    summary: 'Add a member',
    description:
      'Needs at least one of `email`, `phone` and `username`. A person who is known in the workspace joins with their existing account, which does not change.',
    body: NewMember,
    responses: { 201: Member },
    problems: ['ALREADY_EXISTS', 'WEAK_PASSWORD'],
    handler: (request) => provisionMember(request.ctx, request.body),
  }),
  patch('/v1/admin/members/:memberId', {
    permission: 'members:write',
    stepUp: true,
    summary: 'Change a member',
    description:
      'Changes the fields that are sent; `metadata` and `customData` are replaced as a whole. Changing an identifier requires every permission that the member has.',
    params: MemberRef,
    body: MemberChanges,
    responses: { 200: Member },
    problems: ['NOT_FOUND', 'ALREADY_EXISTS'],
    handler: (request) => updateMember(request.ctx, request.params.memberId, request.body),
  }),
  del('/v1/admin/members/:memberId', {
    permission: 'members:write',
    stepUp: true,
    summary: 'Remove a member',
    description:
      'Ends their sessions in the project. A person without any other membership is erased after seven days unless they sign in again.',
    params: MemberRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND', 'LAST_OWNER'],
    handler: (request) => removeMember(request.ctx, request.params.memberId),
  }),
];
