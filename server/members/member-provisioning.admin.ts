import { Type } from 'typebox';
import { askBreachedAhead } from '#passwords';
import type { Routes } from '#platform/http.ts';
import { problemResponses } from '#platform/problem.ts';
import { removeMember } from './leaving.ts';
import { MemberChanges, NewMember, provisionMember, updateMember } from './member-provisioning.ts';
import { Member, MemberRef } from './members.ts';

/** Adding, changing and removing members by a back end. */
export const provisioningRoutes: Routes = (app) => {
  app.post(
    '/v1/admin/members',
    {
      config: { permission: 'members:write', stepUp: true, ahead: askBreachedAhead },
      schema: {
        summary: 'Add a member',
        description:
          'With at least one of `email`, `phone` and `username`. Somebody the workspace knows already joins with the account they have, which stays as it is.',
        body: NewMember,
        response: { 201: Member, ...problemResponses('ALREADY_EXISTS', 'WEAK_PASSWORD') },
      },
    },
    async (request, reply) => reply.code(201).send(await provisionMember(request.ctx, request.body)),
  );

  app.patch(
    '/v1/admin/members/:memberId',
    {
      config: { permission: 'members:write', stepUp: true },
      schema: {
        summary: 'Change a member',
        description:
          'What is named is changed; `metadata` and `customData` are replaced whole. Changing what somebody signs in with takes every permission they have.',
        params: MemberRef,
        body: MemberChanges,
        response: { 200: Member, ...problemResponses('NOT_FOUND', 'ALREADY_EXISTS') },
      },
    },
    (request) => updateMember(request.ctx, request.params.memberId, request.body),
  );

  app.delete(
    '/v1/admin/members/:memberId',
    {
      config: { permission: 'members:write', stepUp: true },
      schema: {
        summary: 'Remove a member',
        description:
          'Ends their sessions in the project. Who is a member of no project any more is erased in seven days, unless they sign in again.',
        params: MemberRef,
        response: { 204: Type.Null(), ...problemResponses('NOT_FOUND', 'LAST_OWNER') },
      },
    },
    async (request, reply) => {
      await removeMember(request.ctx, request.params.memberId);
      return reply.code(204).send(null);
    },
  );
};
