import { Domain, NewDomain } from '#domains';
import { PageOf, PageQuery } from '#platform/page.ts';
import { get, post, type Routes } from '#platform/route.ts';
import { claimCustomDomain, listCustomDomains } from './custom-domains.ts';
import { OrganizationRef } from './organizations.ts';

const PATH = '/v1/admin/organizations/:organizationId/custom-domains';

/** The domains at which an organization signs people in; `/v1/admin/domains` reads, verifies and removes them. */
export const customDomainRoutes: Routes = [
  get(PATH, {
    permission: 'domains:read',
    summary: 'List the custom domains of an organization',
    params: OrganizationRef,
    query: PageQuery,
    responses: { 200: PageOf(Domain) },
    problems: ['NOT_FOUND', 'INVALID_CURSOR'],
    handler: (request) => listCustomDomains(request.ctx, request.params.organizationId, request.query),
  }),
  post(PATH, {
    permission: 'domains:write',
    stepUp: false,
    summary: 'Add a custom domain to an organization',
    description:
      'Once it is verified, its sign-in and account pages and its OpenID provider are for this organization only. Up to three per organization.',
    params: OrganizationRef,
    body: NewDomain,
    responses: { 201: Domain },
    problems: ['NOT_FOUND', 'ALREADY_EXISTS', 'CONFLICT'],
    handler: (request) => claimCustomDomain(request.ctx, request.params.organizationId, request.body.host),
  }),
];
