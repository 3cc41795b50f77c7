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
      'With at least one of `email`, `phone` and `username`. Somebody the workspace knows already joins with the account they have, which stays as it is.',
    body: NewMember,
    responses: { 201: Member },
    problems: ['ALREADY_EXISTS', 'WEAK_PASSWORD'],
    handler: async (request, reply) => reply.code(201).send(await provisionMember(request.ctx, request.body)),
  }),
  patch('/v1/admin/members/:memberId', {
    permission: 'members:write',
    stepUp: true,
    summary: 'Change a member',
    description:
      'What is named is changed; `metadata` and `customData` are replaced whole. Changing what somebody signs in with takes every permission they have.',
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
      'Ends their sessions in the project. Who is a member of no project any more is erased in seven days, unless they sign in again.',
    params: MemberRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND', 'LAST_OWNER'],
    handler: async (request, reply) => {
      await removeMember(request.ctx, request.params.memberId);
      return reply.code(204).send(null);
    },
  }),
];
