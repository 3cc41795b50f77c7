import { Type } from 'typebox';
import { PageOf, PageQuery } from '#platform/page.ts';
import { del, get, patch, post, type Routes } from '#platform/route.ts';
import {
  createOrganizationRole,
  deleteOrganizationRole,
  getOrganizationRole,
  listOrganizationRoles,
  NewOrganizationRole,
  OrganizationRole,
  OrganizationRoleChanges,
  OrganizationRoleRef,
  updateOrganizationRole,
} from './organization-roles.ts';

const PATH = '/v1/admin/organization-roles';
const ONE = `${PATH}/:roleKey`;

/** The roles that members may have in any organization of the project. */
export const organizationRoleRoutes: Routes = [
  get(PATH, {
    permission: 'roles:read',
    summary: 'List the roles of organizations',
    query: PageQuery,
    responses: { 200: PageOf(OrganizationRole) },
    problems: ['INVALID_CURSOR'],
    handler: (request) => listOrganizationRoles(request.ctx, request.query),
  }),
  post(PATH, {
    permission: 'roles:write',
    stepUp: true,
    summary: 'Add a role of organizations',
    body: NewOrganizationRole,
    responses: { 201: OrganizationRole },
    problems: ['ALREADY_EXISTS', 'CONFLICT'],
    handler: (request) => createOrganizationRole(request.ctx, request.body),
  }),
  get(ONE, {
    permission: 'roles:read',
    etag: true,
    summary: 'Read a role of organizations',
    params: OrganizationRoleRef,
    responses: { 200: OrganizationRole },
    problems: ['NOT_FOUND'],
    handler: (request) => getOrganizationRole(request.ctx, request.params.roleKey),
  }),
  patch(ONE, {
    permission: 'roles:write',
    stepUp: true,
    summary: 'Change a role of organizations',
    description: '`permissions` are replaced as a whole.',
    params: OrganizationRoleRef,
    body: OrganizationRoleChanges,
    responses: { 200: OrganizationRole },
    problems: ['NOT_FOUND', 'BUILT_IN_ROLE'],
    handler: (request) => updateOrganizationRole(request.ctx, request.params.roleKey, request.body),
  }),
  del(ONE, {
    permission: 'roles:write',
    stepUp: true,
    summary: 'Delete a role of organizations',
    params: OrganizationRoleRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND', 'BUILT_IN_ROLE', 'CONFLICT'],
    handler: (request) => deleteOrganizationRole(request.ctx, request.params.roleKey),
  }),
];
