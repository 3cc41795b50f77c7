import { Type } from 'typebox';
import { PageOf } from '#platform/page.ts';
import { del, get, post, put, type Routes } from '#platform/route.ts';
import {
  addOrganizationMember,
  getOrganizationMember,
  listOrganizationMembers,
  NewOrganizationMember,
  OrganizationMember,
  OrganizationMemberQuery,
  OrganizationMemberRef,
  OrganizationMemberRoles,
  removeOrganizationMember,
  setOrganizationMemberRoles,
} from './organization-members.ts';
import { OrganizationRef } from './organizations.ts';

const PATH = '/v1/admin/organizations/:organizationId/members';
const ONE = `${PATH}/:memberId`;

export const organizationMemberRoutes: Routes = [
  get(PATH, {
    permission: 'organizations:read',
    summary: 'List the members of an organization',
    params: OrganizationRef,
    query: OrganizationMemberQuery,
    responses: { 200: PageOf(OrganizationMember) },
    problems: ['INVALID_CURSOR', 'NOT_FOUND'],
    handler: (request) => listOrganizationMembers(request.ctx, request.params.organizationId, request.query),
  }),
  post(PATH, {
    permission: 'organizations:write',
    stepUp: true,
    summary: 'Add a member to an organization',
    description: 'The person must be a member of the project already.',
    params: OrganizationRef,
    body: NewOrganizationMember,
    responses: { 201: OrganizationMember },
    problems: ['NOT_FOUND', 'ALREADY_EXISTS', 'CONFLICT'],
    handler: (request) => addOrganizationMember(request.ctx, request.params.organizationId, request.body),
  }),
  get(ONE, {
    permission: 'organizations:read',
    etag: true,
    summary: 'Read a member of an organization',
    params: OrganizationMemberRef,
    responses: { 200: OrganizationMember },
    problems: ['NOT_FOUND'],
    handler: (request) => getOrganizationMember(request.ctx, request.params),
  }),
  put(`${ONE}/roles`, {
    permission: 'organizations:write',
    stepUp: true,
    changes: ONE,
    summary: 'Replace the roles of a member in an organization',
    params: OrganizationMemberRef,
    body: OrganizationMemberRoles,
    responses: { 200: OrganizationMember },
    problems: ['NOT_FOUND', 'LAST_OWNER'],
    handler: (request) => setOrganizationMemberRoles(request.ctx, request.params, request.body.roles),
  }),
  del(ONE, {
    permission: 'organizations:write',
    stepUp: false,
    summary: 'Remove a member from an organization',
    description: 'The person stays a member of the project.',
    params: OrganizationMemberRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND', 'LAST_OWNER'],
    handler: (request) => removeOrganizationMember(request.ctx, request.params),
  }),
];
