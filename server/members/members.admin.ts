import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';
import { PageOf } from '#platform/page.ts';
import { problemResponses } from '#platform/problem.ts';
import { listMembers, MemberQuery } from './member-list.ts';
import { getMember, Member, MemberRef } from './members.ts';
import { RoleKey } from './roles.ts';
import { blockMember, revokeMemberSessions, setMemberRoles, unblockMember } from './standing.ts';

const MemberRoles = Type.Object(
  { roles: Type.Array(RoleKey, { maxItems: 50, uniqueItems: true }) },
  { additionalProperties: false },
);

export const memberRoutes: Routes = (app) => {
  app.get(
    '/v1/admin/members',
    {
      config: { permission: 'members:read' },
      schema: {
        summary: 'List members',
        querystring: MemberQuery,
        response: { 200: PageOf(Member), ...problemResponses('INVALID_CURSOR') },
      },
    },
    (request) => listMembers(request.ctx, request.query),
  );

  app.get(
    '/v1/admin/members/:memberId',
    {
      config: { permission: 'members:read', etag: { without: ['lastSeenAt'] } },
      schema: {
        summary: 'Read a member',
        params: MemberRef,
        response: { 200: Member, ...problemResponses('NOT_FOUND') },
      },
    },
    (request) => getMember(request.ctx, request.params.memberId),
  );

  app.put(
    '/v1/admin/members/:memberId/roles',
    {
      config: { permission: 'members:write', stepUp: true, changes: '/v1/admin/members/:memberId' },
      schema: {
        summary: 'Replace the roles of a member',
        params: MemberRef,
        body: MemberRoles,
        response: { 200: Member, ...problemResponses('NOT_FOUND', 'LAST_OWNER') },
      },
    },
    (request) => setMemberRoles(request.ctx, request.params.memberId, request.body.roles),
  );

  app.post(
    '/v1/admin/members/:memberId/block',
    {
      config: { permission: 'members:write', stepUp: false },
      schema: {
        summary: 'Block a member',
        params: MemberRef,
        response: { 200: Member, ...problemResponses('NOT_FOUND', 'LAST_OWNER') },
      },
    },
    (request) => blockMember(request.ctx, request.params.memberId),
  );

  app.post(
    '/v1/admin/members/:memberId/unblock',
    {
      config: { permission: 'members:write', stepUp: false },
      schema: {
        summary: 'Unblock a member',
        params: MemberRef,
        response: { 200: Member, ...problemResponses('NOT_FOUND') },
      },
    },
    (request) => unblockMember(request.ctx, request.params.memberId),
  );

  app.post(
    '/v1/admin/members/:memberId/sessions/revoke',
    {
      config: { permission: 'sessions:revoke', stepUp: false },
      schema: {
        summary: 'End the sessions of a member',
        params: MemberRef,
        response: { 200: Type.Object({ revoked: Type.Integer() }), ...problemResponses('NOT_FOUND') },
      },
    },
    (request) => revokeMemberSessions(request.ctx, request.params.memberId),
  );
};
