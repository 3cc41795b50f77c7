import { Type } from 'typebox';
import { OrganizationRef } from '#organizations';
import { IdSchema } from '#platform/ids.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { del, get, post, put, type Routes } from '#platform/route.ts';
import {
  DirectoryGroup,
  DirectoryGroupRoles,
  GroupRef,
  getDirectoryGroup,
  listDirectoryGroups,
  setGroupRoles,
} from './group-roles.ts';
import { listProvisioningLog, ProvisioningLogEntry, ProvisioningLogQuery } from './provisioning-log.ts';
import {
  deleteScimToken,
  getScimToken,
  IssuedScimToken,
  issueScimToken,
  listScimTokens,
  NewScimToken,
  ScimToken,
} from './tokens.ts';

const PATH = '/v1/admin/organizations/:organizationId/scim';
const TokenRef = Type.Object({ ...OrganizationRef.properties, tokenId: IdSchema('sct') });

/** The directory of an organization: its tokens, the roles of its groups, and what it did. */
export const scimAdminRoutes: Routes = [
  get(`${PATH}/tokens`, {
    permission: 'organizations:read',
    summary: 'List the SCIM tokens of an organization',
    params: OrganizationRef,
    query: PageQuery,
    responses: { 200: PageOf(ScimToken) },
    problems: ['INVALID_CURSOR', 'NOT_FOUND'],
    handler: (request) => listScimTokens(request.ctx, request.params.organizationId, request.query),
  }),
  post(`${PATH}/tokens`, {
    permission: 'organizations:write',
    stepUp: true,
    summary: 'Issue a SCIM token',
    description:
      'With it, the directory of the organization’s company adds, changes and deactivates members at `/scim/v2` of the API host (RFC 7644).',
    params: OrganizationRef,
    body: NewScimToken,
    responses: { 201: IssuedScimToken },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) => issueScimToken(request.ctx, request.params.organizationId, request.body),
  }),
  get(`${PATH}/tokens/:tokenId`, {
    permission: 'organizations:read',
    etag: true,
    summary: 'Read a SCIM token',
    description: 'Without the token itself.',
    params: TokenRef,
    responses: { 200: ScimToken },
    problems: ['NOT_FOUND'],
    handler: ({ ctx, params }) => getScimToken(ctx, params.organizationId, params.tokenId),
  }),
  del(`${PATH}/tokens/:tokenId`, {
    permission: 'organizations:write',
    stepUp: false,
    summary: 'Remove a SCIM token',
    description: 'The next request with it is refused. The people and groups that it provisioned stay.',
    params: TokenRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND'],
    handler: ({ ctx, params }) => deleteScimToken(ctx, params.organizationId, params.tokenId),
  }),
  get(`${PATH}/groups`, {
    permission: 'organizations:read',
    summary: 'List the groups of an organization’s directory',
    params: OrganizationRef,
    query: PageQuery,
    responses: { 200: PageOf(DirectoryGroup) },
    problems: ['INVALID_CURSOR', 'NOT_FOUND'],
    handler: (request) => listDirectoryGroups(request.ctx, request.params.organizationId, request.query),
  }),
  get(`${PATH}/groups/:groupId`, {
    permission: 'organizations:read',
    etag: true,
    summary: 'Read a group of an organization’s directory',
    params: GroupRef,
    responses: { 200: DirectoryGroup },
    problems: ['NOT_FOUND'],
    handler: ({ ctx, params }) => getDirectoryGroup(ctx, params),
  }),
  put(`${PATH}/groups/:groupId/roles`, {
    changes: `${PATH}/groups/:groupId`,
    permission: 'organizations:write',
    stepUp: true,
    summary: 'Choose the roles of a directory group',
    description: 'The members of the group have these roles in the organization, from now on and at once.',
    params: GroupRef,
    body: DirectoryGroupRoles,
    responses: { 200: DirectoryGroup },
    problems: ['NOT_FOUND'],
    handler: ({ ctx, params, body }) => setGroupRoles(ctx, params, { roles: body.roles }),
  }),
  get(`${PATH}/log`, {
    permission: 'organizations:read',
    summary: 'Read the provisioning log of an organization',
    description: 'What its directory did, newest first, with the reason of each refusal. Entries stay for 90 days.',
    params: OrganizationRef,
    query: ProvisioningLogQuery,
    responses: { 200: PageOf(ProvisioningLogEntry) },
    problems: ['INVALID_CURSOR', 'NOT_FOUND'],
    handler: (request) => listProvisioningLog(request.ctx, request.params.organizationId, request.query),
  }),
];
