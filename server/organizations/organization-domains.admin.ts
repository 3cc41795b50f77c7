import { Type } from 'typebox';
import { PageOf, PageQuery } from '#platform/page.ts';
import { del, get, patch, post, type Routes } from '#platform/route.ts';
import { lookUpOrganizationDomain, verifyOrganizationDomain } from './organization-domain-checks.ts';
import {
  changeOrganizationDomain,
  claimOrganizationDomain,
  deleteOrganizationDomain,
  domainRecord,
  findOrganizationDomain,
  listOrganizationDomains,
  NewOrganizationDomain,
  OrganizationDomain,
  OrganizationDomainChanges,
  OrganizationDomainRef,
} from './organization-domains.ts';
import { OrganizationRef } from './organizations.ts';

const PATH = '/v1/admin/organizations/:organizationId/domains';
const ONE = `${PATH}/:domainId`;

/** The mail domains of an organization. */
export const organizationDomainRoutes: Routes = [
  get(PATH, {
    permission: 'organizations:read',
    summary: 'List the mail domains of an organization',
    params: OrganizationRef,
    query: PageQuery,
    responses: { 200: PageOf(OrganizationDomain) },
    problems: ['NOT_FOUND', 'INVALID_CURSOR'],
    handler: (request) => listOrganizationDomains(request.ctx, request.params.organizationId, request.query),
  }),
  post(PATH, {
    permission: 'organizations:write',
    stepUp: false,
    summary: 'Add a mail domain to an organization',
    description:
      'Publish the TXT record of `verification`, then verify it. Domains of mail services that anybody can use are refused.',
    params: OrganizationRef,
    body: NewOrganizationDomain,
    responses: { 201: OrganizationDomain },
    problems: ['NOT_FOUND', 'ALREADY_EXISTS', 'CONFLICT'],
    handler: (request) => claimOrganizationDomain(request.ctx, request.params.organizationId, request.body.host),
  }),
  get(ONE, {
    permission: 'organizations:read',
    etag: true,
    summary: 'Read a mail domain of an organization',
    params: OrganizationDomainRef,
    responses: { 200: OrganizationDomain },
    problems: ['NOT_FOUND'],
    handler: async (request) => domainRecord(await findOrganizationDomain(request.ctx, request.params)),
  }),
  patch(ONE, {
    permission: 'organizations:write',
    stepUp: true,
    summary: 'Change who joins by a mail domain',
    params: OrganizationDomainRef,
    body: OrganizationDomainChanges,
    responses: { 200: OrganizationDomain },
    problems: ['NOT_FOUND'],
    handler: (request) => changeOrganizationDomain(request.ctx, request.params, request.body),
  }),
  del(ONE, {
    permission: 'organizations:write',
    stepUp: false,
    summary: 'Remove a mail domain from an organization',
    description: 'People who joined by it stay members.',
    params: OrganizationDomainRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND'],
    handler: (request) => deleteOrganizationDomain(request.ctx, request.params),
  }),
  post(`${ONE}/verify`, {
    permission: 'organizations:write',
    stepUp: false,
    summary: 'Verify a mail domain of an organization',
    description: 'Looks up its TXT record now. Only one organization of a project environment can verify a domain.',
    params: OrganizationDomainRef,
    responses: { 200: OrganizationDomain },
    problems: ['NOT_FOUND', 'DOMAIN_NOT_VERIFIED', 'ALREADY_EXISTS', 'CONFLICT', 'RATE_LIMIT_EXCEEDED'],
    handler: async (request) =>
      verifyOrganizationDomain(request.ctx, await lookUpOrganizationDomain(request.ctx, request.params)),
  }),
];
