import { Type } from 'typebox';
import { PageOf, PageQuery } from '#platform/page.ts';
import { del, get, patch, put, type Routes } from '#platform/route.ts';
import { PROBLEMS_INSIDE } from './organization-insiders.ts';
import {
  auditOfOrganization,
  Colleague,
  getColleague,
  listColleagues,
  listRolesInside,
  OrganizationAuditEvent,
  OrganizationAuditQuery,
  RoleInOrganization,
  removeColleague,
  setRolesOfColleague,
  updateOwnOrganization,
} from './organization-management.ts';
import { OrganizationMemberQuery, OrganizationMemberRef, OrganizationMemberRoles } from './organization-members.ts';
import { OrganizationRef } from './organizations.ts';
import { OwnOrganization, OwnOrganizationChanges } from './own-organizations.ts';

const ONE = '/v1/me/organizations/:organizationId';
const MEMBER = `${ONE}/members/:memberId`;

/** The routes by which members of an organization manage it; each requires a permission in the organization. */
export const organizationManagementRoutes: Routes = [
  patch(ONE, {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Change one of my organizations',
    description: 'Takes `org.profile:write` in it.',
    params: OrganizationRef,
    body: OwnOrganizationChanges,
    responses: { 200: OwnOrganization },
    problems: [...PROBLEMS_INSIDE, 'ALREADY_EXISTS'],
    handler: (request) => updateOwnOrganization(request.ctx, request.params.organizationId, request.body),
  }),
  get(`${ONE}/members`, {
    permission: 'customer',
    summary: 'List the members of one of my organizations',
    description: 'Takes `org.members:read` in it.',
    params: OrganizationRef,
    query: OrganizationMemberQuery,
    responses: { 200: PageOf(Colleague) },
    problems: [...PROBLEMS_INSIDE, 'INVALID_CURSOR'],
    handler: (request) => listColleagues(request.ctx, request.params.organizationId, request.query),
  }),
  get(MEMBER, {
    permission: 'customer',
    etag: true,
    summary: 'Read a member of one of my organizations',
    description: 'Takes `org.members:read` in it.',
    params: OrganizationMemberRef,
    responses: { 200: Colleague },
    problems: PROBLEMS_INSIDE,
    handler: (request) => getColleague(request.ctx, request.params),
  }),
  put(`${MEMBER}/roles`, {
    permission: 'customer',
    freshProof: 'second factor',
    changes: MEMBER,
    summary: 'Replace the roles of a member in one of my organizations',
    description:
      'Takes `org.members:write` in it, and every permission of the roles that the member has or would have. The project’s own permissions in a role count only if the role is not `delegable`.',
    params: OrganizationMemberRef,
    body: OrganizationMemberRoles,
    responses: { 200: Colleague },
    problems: [...PROBLEMS_INSIDE, 'LAST_OWNER'],
    handler: (request) => setRolesOfColleague(request.ctx, request.params, request.body.roles),
  }),
  del(MEMBER, {
    permission: 'customer',
    freshProof: 'any factor',
    summary: 'Remove a member from one of my organizations',
    description:
      'Takes `org.members:write` in it, and every permission in the organization that the member has. The person stays a member of the project.',
    params: OrganizationMemberRef,
    responses: { 204: Type.Null() },
    problems: [...PROBLEMS_INSIDE, 'LAST_OWNER'],
    handler: (request) => removeColleague(request.ctx, request.params),
  }),
  get(`${ONE}/roles`, {
    permission: 'customer',
    summary: 'List the roles of one of my organizations',
    description: 'Takes `org.members:read` in it.',
    params: OrganizationRef,
    query: PageQuery,
    responses: { 200: PageOf(RoleInOrganization) },
    problems: [...PROBLEMS_INSIDE, 'INVALID_CURSOR'],
    handler: (request) => listRolesInside(request.ctx, request.params.organizationId, request.query),
  }),
  get(`${ONE}/audit-events`, {
    permission: 'customer',
    summary: 'Read the audit log of one of my organizations',
    description:
      'Takes `org.audit:read` in it. Lists changes of the organization, its members, domains and invitations, newest first.',
    params: OrganizationRef,
    query: OrganizationAuditQuery,
    responses: { 200: PageOf(OrganizationAuditEvent) },
    problems: [...PROBLEMS_INSIDE, 'INVALID_CURSOR'],
    handler: (request) => auditOfOrganization(request.ctx, request.params.organizationId, request.query),
  }),
];
