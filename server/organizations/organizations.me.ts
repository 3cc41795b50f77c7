import { Type } from 'typebox';
import { PageOf, PageQuery } from '#platform/page.ts';
import { del, get, post, type Routes } from '#platform/route.ts';
import { OrganizationRef } from './organizations.ts';
import {
  createOwnOrganization,
  getOwnOrganization,
  leaveOwnOrganization,
  listOwnOrganizations,
  NewOwnOrganization,
  OwnOrganization,
} from './own-organizations.ts';

const PATH = '/v1/me/organizations';
const ONE = `${PATH}/:organizationId`;

/** The organizations of the signed-in person in the project of the session. */
export const ownOrganizationRoutes: Routes = [
  get(PATH, {
    permission: 'customer',
    summary: 'List my organizations',
    query: PageQuery,
    responses: { 200: PageOf(OwnOrganization) },
    problems: ['INVALID_CURSOR', 'MEMBERSHIP_REQUIRED'],
    handler: (request) => listOwnOrganizations(request.ctx, request.query),
  }),
  post(PATH, {
    permission: 'customer',
    summary: 'Add an organization of my own',
    description: 'I become its owner. The setting `maxOwnOrganizations` says how many a member may own; 0: none.',
    body: NewOwnOrganization,
    responses: { 201: OwnOrganization },
    problems: ['ORGANIZATIONS_CLOSED', 'ALREADY_EXISTS', 'CONFLICT', 'MEMBERSHIP_REQUIRED'],
    handler: (request) => createOwnOrganization(request.ctx, request.body),
  }),
  get(ONE, {
    permission: 'customer',
    etag: true,
    summary: 'Read one of my organizations',
    params: OrganizationRef,
    responses: { 200: OwnOrganization },
    problems: ['NOT_FOUND', 'MEMBERSHIP_REQUIRED'],
    handler: (request) => getOwnOrganization(request.ctx, request.params.organizationId),
  }),
  del(ONE, {
    permission: 'customer',
    freshProof: 'any factor',
    summary: 'Leave an organization',
    description: 'Roles in it are not restored. I stay a member of the project.',
    params: OrganizationRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND', 'LAST_OWNER', 'MEMBERSHIP_REQUIRED', 'REAUTHENTICATION_REQUIRED'],
    handler: (request) => leaveOwnOrganization(request.ctx, request.params.organizationId),
  }),
];
