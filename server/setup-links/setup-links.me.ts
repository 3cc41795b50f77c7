import { Type } from 'typebox';
import { inside, OrganizationRef } from '#organizations';
import { PageOf, PageQuery } from '#platform/page.ts';
import { del, get, post, type Routes } from '#platform/route.ts';
import { createOwnSetupLink, getOwnSetupLink, listOwnSetupLinks, revokeOwnSetupLink } from './own-setup-links.ts';
import { MadeSetupLink, NewSetupLink, SetupLink, SetupLinkRef } from './setup-links.ts';

const PATH = '/v1/me/organizations/:organizationId/setup-links';
const ONE = `${PATH}/:setupLinkId`;

/** The set-up links of an organization, for its owners. */
export const ownSetupLinkRoutes: Routes = [
  get(PATH, {
    permission: 'customer',
    summary: 'List the set-up links of one of my organizations',
    description: 'Takes `org.profile:write` in it.',
    params: OrganizationRef,
    query: PageQuery,
    responses: { 200: PageOf(SetupLink) },
    problems: [...inside.problems, 'INVALID_CURSOR'],
    handler: ({ ctx, params, query }) => listOwnSetupLinks(ctx, params.organizationId, query),
  }),
  post(PATH, {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Make a set-up link of one of my organizations',
    description:
      'Takes `org.profile:write` in it, and what each task takes: `domains` takes `org.domains:write`, `team` takes `org.invitations:write` and every permission of `roles`; `connection` takes `org.connections:write`, `directory` `org.directory:write` and `policies` `org.policy:write`, where the project’s setting `organizationSelfService` has the area.',
    params: OrganizationRef,
    body: NewSetupLink,
    responses: { 201: MadeSetupLink },
    problems: [...inside.problems, 'CONFLICT', 'RATE_LIMIT_EXCEEDED'],
    handler: ({ ctx, params, body }) => createOwnSetupLink(ctx, params.organizationId, body),
  }),
  get(ONE, {
    permission: 'customer',
    etag: true,
    summary: 'Read a set-up link of one of my organizations',
    description: 'Takes `org.profile:write` in it. Without the link itself.',
    params: SetupLinkRef,
    responses: { 200: SetupLink },
    problems: inside.problems,
    handler: ({ ctx, params }) => getOwnSetupLink(ctx, params),
  }),
  del(ONE, {
    permission: 'customer',
    freshProof: 'any factor',
    summary: 'Revoke a set-up link of one of my organizations',
    description: 'Takes `org.profile:write` in it. Those who work with it are stopped immediately.',
    params: SetupLinkRef,
    responses: { 204: Type.Null() },
    problems: inside.problems,
    handler: ({ ctx, params }) => revokeOwnSetupLink(ctx, params),
  }),
];
