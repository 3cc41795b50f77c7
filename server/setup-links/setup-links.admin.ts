import { Type } from 'typebox';
import { OrganizationRef } from '#organizations';
import { PageOf, PageQuery } from '#platform/page.ts';
import { del, get, post, type Routes } from '#platform/route.ts';
import {
  createSetupLink,
  getSetupLink,
  listSetupLinks,
  MadeSetupLink,
  NewSetupLink,
  revokeSetupLink,
  SetupLink,
  SetupLinkRef,
} from './setup-links.ts';

const PATH = '/v1/admin/organizations/:organizationId/setup-links';
const ONE = `${PATH}/:setupLinkId`;

/** The links with which an administrator of a customer sets their organization up. */
export const setupLinkRoutes: Routes = [
  get(PATH, {
    permission: 'organizations:read',
    summary: 'List the set-up links of an organization',
    params: OrganizationRef,
    query: PageQuery,
    responses: { 200: PageOf(SetupLink) },
    problems: ['NOT_FOUND', 'INVALID_CURSOR'],
    handler: ({ ctx, params, query }) => listSetupLinks(ctx, params.organizationId, query),
  }),
  post(PATH, {
    permission: 'organizations:write',
    stepUp: true,
    summary: 'Make a set-up link of an organization',
    description:
      'Its holder needs no account. They set up what `tasks` name, on pages in seven languages. You can only make a link for what you may do yourself: `connection` takes `providers:write` too, `team` `invitations:write` and every permission of `roles`. If you lose a permission, the link loses it too.',
    params: OrganizationRef,
    body: NewSetupLink,
    responses: { 201: MadeSetupLink },
    problems: ['NOT_FOUND', 'ORGANIZATION_BLOCKED', 'CONFLICT', 'RATE_LIMIT_EXCEEDED'],
    handler: ({ ctx, params, body }) => createSetupLink(ctx, params.organizationId, body),
  }),
  get(ONE, {
    permission: 'organizations:read',
    etag: true,
    summary: 'Read a set-up link of an organization',
    description: 'Without the link itself.',
    params: SetupLinkRef,
    responses: { 200: SetupLink },
    problems: ['NOT_FOUND'],
    handler: ({ ctx, params }) => getSetupLink(ctx, params),
  }),
  del(ONE, {
    permission: 'organizations:write',
    stepUp: false,
    summary: 'Revoke a set-up link of an organization',
    description:
      'Those who work with it are stopped immediately, and invitations that it sent and nobody accepted are revoked. What was set up stays.',
    params: SetupLinkRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND'],
    handler: ({ ctx, params }) => revokeSetupLink(ctx, params),
  }),
];
