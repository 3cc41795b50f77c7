import { Type } from 'typebox';
import { PageOf } from '#platform/page.ts';
import { del, get, patch, post, type Routes } from '#platform/route.ts';
import {
  createOrganization,
  deleteOrganization,
  getOrganization,
  listOrganizations,
  NewOrganization,
  Organization,
  OrganizationChanges,
  OrganizationQuery,
  OrganizationRef,
  setOrganizationStatus,
  updateOrganization,
} from './organizations.ts';

const PATH = '/v1/admin/organizations';
const ONE = `${PATH}/:organizationId`;

/** The organizations of a project: the customers of its customers. */
export const organizationRoutes: Routes = [
  get(PATH, {
    permission: 'organizations:read',
    summary: 'List organizations',
    query: OrganizationQuery,
    responses: { 200: PageOf(Organization) },
    problems: ['INVALID_CURSOR'],
    handler: (request) => listOrganizations(request.ctx, request.query),
  }),
  post(PATH, {
    permission: 'organizations:write',
    stepUp: false,
    summary: 'Add an organization',
    body: NewOrganization,
    responses: { 201: Organization },
    problems: ['ALREADY_EXISTS', 'CONFLICT', 'PAYLOAD_TOO_LARGE'],
    handler: (request) => createOrganization(request.ctx, request.body),
  }),
  get(ONE, {
    permission: 'organizations:read',
    etag: true,
    summary: 'Read an organization',
    params: OrganizationRef,
    responses: { 200: Organization },
    problems: ['NOT_FOUND'],
    handler: (request) => getOrganization(request.ctx, request.params.organizationId),
  }),
  patch(ONE, {
    permission: 'organizations:write',
    stepUp: false,
    summary: 'Change an organization',
    description: '`metadata` is replaced as a whole.',
    params: OrganizationRef,
    body: OrganizationChanges,
    responses: { 200: Organization },
    problems: ['NOT_FOUND', 'ALREADY_EXISTS', 'PAYLOAD_TOO_LARGE'],
    handler: (request) => updateOrganization(request.ctx, request.params.organizationId, request.body),
  }),
  del(ONE, {
    permission: 'organizations:write',
    stepUp: true,
    summary: 'Delete an organization',
    description: 'Its memberships end. Its members stay members of the project.',
    params: OrganizationRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND'],
    handler: (request) => deleteOrganization(request.ctx, request.params.organizationId),
  }),
  post(`${ONE}/block`, {
    permission: 'organizations:write',
    stepUp: false,
    summary: 'Block an organization',
    description: 'Its members and their roles do not change.',
    params: OrganizationRef,
    responses: { 200: Organization },
    problems: ['NOT_FOUND'],
    handler: (request) => setOrganizationStatus(request.ctx, request.params.organizationId, 'blocked'),
  }),
  post(`${ONE}/unblock`, {
    permission: 'organizations:write',
    stepUp: false,
    summary: 'Unblock an organization',
    params: OrganizationRef,
    responses: { 200: Organization },
    problems: ['NOT_FOUND'],
    handler: (request) => setOrganizationStatus(request.ctx, request.params.organizationId, 'active'),
  }),
];
