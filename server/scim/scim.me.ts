import { Type } from 'typebox';
import { inside, OrganizationRef } from '#organizations';
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

const PATH = '/v1/me/organizations/:organizationId/scim';
const TokenRef = Type.Object({ ...OrganizationRef.properties, tokenId: IdSchema('sct') });

const READ = 'org.directory:read';
const WRITE = 'org.directory:write';
const SETTING = 'where the project’s setting `organizationSelfService` has `directory`';

/** The directory of an organization, for its members: its tokens, and what it did. */
export const ownDirectoryRoutes: Routes = [
  get(`${PATH}/tokens`, {
    permission: 'customer',
    summary: 'List the SCIM tokens of one of my organizations',
    description: `Takes \`${READ}\` in it, ${SETTING}.`,
    params: OrganizationRef,
    query: PageQuery,
    responses: { 200: PageOf(ScimToken) },
    problems: [...inside.problems, 'INVALID_CURSOR'],
    handler: async ({ ctx, params: { organizationId }, query }) => {
      await inside.require(ctx, organizationId, READ);
      return listScimTokens(ctx, organizationId, query);
    },
  }),
  post(`${PATH}/tokens`, {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Issue a SCIM token of one of my organizations',
    description: `Takes \`${WRITE}\` in it, ${SETTING}. With it, the directory of the company adds, changes and deactivates members.`,
    params: OrganizationRef,
    body: NewScimToken,
    responses: { 201: IssuedScimToken },
    problems: [...inside.problems, 'CONFLICT'],
    handler: ({ ctx, params: { organizationId }, body }) =>
      inside.change(ctx, organizationId, WRITE, (tx) => issueScimToken(tx, organizationId, body)),
  }),
  get(`${PATH}/tokens/:tokenId`, {
    permission: 'customer',
    etag: true,
    summary: 'Read a SCIM token of one of my organizations',
    description: `Takes \`${READ}\` in it, ${SETTING}. Without the token itself.`,
    params: TokenRef,
    responses: { 200: ScimToken },
    problems: inside.problems,
    handler: async ({ ctx, params: { organizationId, tokenId } }) => {
      await inside.require(ctx, organizationId, READ);
      return getScimToken(ctx, organizationId, tokenId);
    },
  }),
  del(`${PATH}/tokens/:tokenId`, {
    permission: 'customer',
    freshProof: 'any factor',
    summary: 'Remove a SCIM token of one of my organizations',
    description: `Takes \`${WRITE}\` in it, ${SETTING}. The next request with it is refused. The people and groups that it provisioned stay.`,
    params: TokenRef,
    responses: { 204: Type.Null() },
    problems: inside.problems,
    handler: ({ ctx, params: { organizationId, tokenId } }) =>
      inside.change(ctx, organizationId, WRITE, (tx) => deleteScimToken(tx, organizationId, tokenId)),
  }),
  get(`${PATH}/groups`, {
    permission: 'customer',
    summary: 'List the groups of the directory of one of my organizations',
    description: `Takes \`${READ}\` in it, ${SETTING}.`,
    params: OrganizationRef,
    query: PageQuery,
    responses: { 200: PageOf(DirectoryGroup) },
    problems: [...inside.problems, 'INVALID_CURSOR'],
    handler: async ({ ctx, params: { organizationId }, query }) => {
      await inside.require(ctx, organizationId, READ);
      return listDirectoryGroups(ctx, organizationId, query);
    },
  }),
  get(`${PATH}/groups/:groupId`, {
    permission: 'customer',
    etag: true,
    summary: 'Read a group of the directory of one of my organizations',
    description: `Takes \`${READ}\` in it, ${SETTING}.`,
    params: GroupRef,
    responses: { 200: DirectoryGroup },
    problems: inside.problems,
    handler: async ({ ctx, params }) => {
      await inside.require(ctx, params.organizationId, READ);
      return getDirectoryGroup(ctx, params);
    },
  }),
  put(`${PATH}/groups/:groupId/roles`, {
    changes: `${PATH}/groups/:groupId`,
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Choose the roles of a directory group of one of my organizations',
    description: `Takes \`${WRITE}\` in it, ${SETTING}, and every permission of the roles, before and afterwards; of a delegable role only those in the organization. The members of the group have these roles from now on and at once.`,
    params: GroupRef,
    body: DirectoryGroupRoles,
    responses: { 200: DirectoryGroup },
    problems: inside.problems,
    handler: ({ ctx, params, body: { roles } }) =>
      inside.change(ctx, params.organizationId, WRITE, (tx) => {
        const authority = inside.authority(params.organizationId);
        return setGroupRoles(tx, params, {
          roles,
          may: (within, affected) => authority(within, 'organization.directory.change', affected),
        });
      }),
  }),
  get(`${PATH}/log`, {
    permission: 'customer',
    summary: 'Read the provisioning log of one of my organizations',
    description: `Takes \`${READ}\` in it, ${SETTING}. What its directory did, newest first, with the reason of each refusal.`,
    params: OrganizationRef,
    query: ProvisioningLogQuery,
    responses: { 200: PageOf(ProvisioningLogEntry) },
    problems: [...inside.problems, 'INVALID_CURSOR'],
    handler: async ({ ctx, params: { organizationId }, query }) => {
      await inside.require(ctx, organizationId, READ);
      return listProvisioningLog(ctx, organizationId, query);
    },
  }),
];
