import { Type } from 'typebox';
import { PageOf, PageQuery } from '#platform/page.ts';
import { del, get, patch, post, type Routes } from '#platform/route.ts';
import {
  NewOrganizationDomain,
  OrganizationDomain,
  OrganizationDomainChanges,
  OrganizationDomainRef,
} from './organization-domains.ts';
import { PROBLEMS_INSIDE } from './organization-insiders.ts';
import { OrganizationRef } from './organizations.ts';
import {
  changeOwnDomain,
  claimOwnDomain,
  deleteOwnDomain,
  getOwnDomain,
  listOwnDomains,
  verifyOwnDomain,
} from './own-domains.ts';

const PATH = '/v1/me/organizations/:organizationId/domains';
const ONE = `${PATH}/:domainId`;

/** The mail domains of an organization, for its members. */
export const ownDomainRoutes: Routes = [
  get(PATH, {
    permission: 'customer',
    summary: 'List the mail domains of one of my organizations',
    description: 'Takes `org.domains:read` in it.',
    params: OrganizationRef,
    query: PageQuery,
    responses: { 200: PageOf(OrganizationDomain) },
    problems: [...PROBLEMS_INSIDE, 'INVALID_CURSOR'],
    handler: (request) => listOwnDomains(request.ctx, request.params.organizationId, request.query),
  }),
  post(PATH, {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Add a mail domain to one of my organizations',
    description: 'Takes `org.domains:write` in it. Publish the TXT record of `verification`, then verify it.',
    params: OrganizationRef,
    body: NewOrganizationDomain,
    responses: { 201: OrganizationDomain },
    problems: [...PROBLEMS_INSIDE, 'ALREADY_EXISTS', 'CONFLICT'],
    handler: (request) => claimOwnDomain(request.ctx, request.params.organizationId, request.body.host),
  }),
  get(ONE, {
    permission: 'customer',
    etag: true,
    summary: 'Read a mail domain of one of my organizations',
    description: 'Takes `org.domains:read` in it.',
    params: OrganizationDomainRef,
    responses: { 200: OrganizationDomain },
    problems: PROBLEMS_INSIDE,
    handler: (request) => getOwnDomain(request.ctx, request.params),
  }),
  patch(ONE, {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Change who joins one of my organizations by a mail domain',
    description: 'Takes `org.domains:write` and `org.members:write` in it, and every permission of the roles.',
    params: OrganizationDomainRef,
    body: OrganizationDomainChanges,
    responses: { 200: OrganizationDomain },
    problems: PROBLEMS_INSIDE,
    handler: (request) => changeOwnDomain(request.ctx, request.params, request.body),
  }),
  del(ONE, {
    permission: 'customer',
    freshProof: 'any factor',
    summary: 'Remove a mail domain from one of my organizations',
    description: 'Takes `org.domains:write` in it. People who joined by the domain stay members.',
    params: OrganizationDomainRef,
    responses: { 204: Type.Null() },
    problems: PROBLEMS_INSIDE,
    handler: (request) => deleteOwnDomain(request.ctx, request.params),
  }),
  post(`${ONE}/verify`, {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Verify a mail domain of one of my organizations',
    description: 'Takes `org.domains:write` in it. Looks up the TXT record now.',
    params: OrganizationDomainRef,
    responses: { 200: OrganizationDomain },
    problems: [...PROBLEMS_INSIDE, 'DOMAIN_NOT_VERIFIED', 'ALREADY_EXISTS', 'CONFLICT', 'RATE_LIMIT_EXCEEDED'],
    handler: (request) => verifyOwnDomain(request.ctx, request.params),
  }),
];
