import { Type } from 'typebox';
import { PageOf } from '#platform/page.ts';
import { get, post, put, type Routes } from '#platform/route.ts';
import { blockMember, revokeMemberSessions, setMemberRoles, unblockMember } from './member-actions.ts';
import { countMembers, listMembers, MemberCountQuery, MemberQuery } from './member-list.ts';
import { getMember, Member, MemberRef } from './members.ts';
import { RoleKey } from './roles.ts';

const MemberRoles = Type.Object(
  { roles: Type.Array(RoleKey, { maxItems: 50, uniqueItems: true }) },
  { additionalProperties: false },
);

export const memberRoutes: Routes = [
  get('/v1/admin/members', {
    permission: 'members:read',
    summary: 'List members',
    query: MemberQuery,
    responses: { 200: PageOf(Member) },
    problems: ['INVALID_CURSOR'],
    handler: (request) => listMembers(request.ctx, request.query),
  }),
  get('/v1/admin/members/count', {
    permission: 'members:read',
    summary: 'Count members',
    description: 'Those that match the filters of the list, up to ten thousand; with `q` up to one thousand.',
    query: MemberCountQuery,
    responses: {
      200: Type.Object({
        count: Type.Integer(),
        more: Type.Boolean({ description: 'There are more than were counted.' }),
      }),
    },
    handler: (request) => countMembers(request.ctx, request.query),
  }),
  get('/v1/admin/members/:memberId', {
    permission: 'members:read',
    etag: { without: ['lastSeenAt'] },
    summary: 'Read a member',
    params: MemberRef,
    responses: { 200: Member },
    problems: ['NOT_FOUND'],
    handler: (request) => getMember(request.ctx, request.params.memberId),
  }),
  put('/v1/admin/members/:memberId/roles', {
    permission: 'members:write',
    stepUp: true,
    changes: '/v1/admin/members/:memberId',
    summary: 'Replace the roles of a member',
    params: MemberRef,
    body: MemberRoles,
    responses: { 200: Member },
    problems: ['NOT_FOUND', 'LAST_OWNER'],
    handler: (request) => setMemberRoles(request.ctx, request.params.memberId, request.body.roles),
  }),
  post('/v1/admin/members/:memberId/block', {
    permission: 'members:write',
    stepUp: false,
    summary: 'Block a member',
    params: MemberRef,
    responses: { 200: Member },
    problems: ['NOT_FOUND', 'LAST_OWNER'],
    handler: (request) => blockMember(request.ctx, request.params.memberId),
  }),
  post('/v1/admin/members/:memberId/unblock', {
    permission: 'members:write',
    stepUp: false,
    summary: 'Unblock a member',
    params: MemberRef,
    responses: { 200: Member },
    problems: ['NOT_FOUND'],
    handler: (request) => unblockMember(request.ctx, request.params.memberId),
  }),
  post('/v1/admin/members/:memberId/sessions/revoke', {
    permission: 'sessions:revoke',
    stepUp: false,
    summary: 'End the sessions of a member',
    params: MemberRef,
    responses: { 200: Type.Object({ revoked: Type.Integer() }) },
    problems: ['NOT_FOUND'],
    handler: (request) => revokeMemberSessions(request.ctx, request.params.memberId),
  }),
];
