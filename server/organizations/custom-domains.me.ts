import { Type } from 'typebox';
import { Domain, NewDomain } from '#domains';
import { PageOf, PageQuery } from '#platform/page.ts';
import { del, get, post, type Routes } from '#platform/route.ts';
import {
  CustomDomainRef,
  claimOwnCustomDomain,
  deleteOwnCustomDomain,
  getOwnCustomDomain,
  listOwnCustomDomains,
  verifyOwnCustomDomain,
} from './custom-domains.ts';
import { PROBLEMS_INSIDE } from './organization-insiders.ts';
import { OrganizationRef } from './organizations.ts';

const PATH = '/v1/me/organizations/:organizationId/custom-domains';
const ONE = `${PATH}/:domainId`;

/** The domains at which an organization signs people in, for its members. */
export const ownCustomDomainRoutes: Routes = [
  get(PATH, {
    permission: 'customer',
    summary: 'List the custom domains of one of my organizations',
    description: 'Takes `org.domains:read` in it.',
    params: OrganizationRef,
    query: PageQuery,
    responses: { 200: PageOf(Domain) },
    problems: [...PROBLEMS_INSIDE, 'INVALID_CURSOR'],
    handler: (request) => listOwnCustomDomains(request.ctx, request.params.organizationId, request.query),
  }),
  post(PATH, {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Add a custom domain to one of my organizations',
    description: 'Takes `org.domains:write` in it. Publish the TXT record of `verification`, then verify it.',
    params: OrganizationRef,
    body: NewDomain,
    responses: { 201: Domain },
    problems: [...PROBLEMS_INSIDE, 'ALREADY_EXISTS', 'CONFLICT'],
    handler: (request) => claimOwnCustomDomain(request.ctx, request.params.organizationId, request.body.host),
  }),
  get(ONE, {
    permission: 'customer',
    etag: { without: ['checkedAt'] },
    summary: 'Read a custom domain of one of my organizations',
    description: 'Takes `org.domains:read` in it.',
    params: CustomDomainRef,
    responses: { 200: Domain },
    problems: PROBLEMS_INSIDE,
    handler: (request) => getOwnCustomDomain(request.ctx, request.params),
  }),
  del(ONE, {
    permission: 'customer',
    freshProof: 'any factor',
    summary: 'Remove a custom domain from one of my organizations',
    description: 'Takes `org.domains:write` in it. Nobody can sign in at it from then on.',
    params: CustomDomainRef,
    responses: { 204: Type.Null() },
    problems: PROBLEMS_INSIDE,
    handler: (request) => deleteOwnCustomDomain(request.ctx, request.params),
  }),
  post(`${ONE}/verify`, {
    permission: 'customer',
    freshProof: 'second factor',
    summary: 'Verify a custom domain of one of my organizations',
    description: 'Takes `org.domains:write` in it. Looks up the TXT record now; the domain then signs people in.',
    params: CustomDomainRef,
    responses: { 200: Domain },
    problems: [...PROBLEMS_INSIDE, 'DOMAIN_NOT_VERIFIED', 'ALREADY_EXISTS', 'CONFLICT', 'RATE_LIMIT_EXCEEDED'],
    handler: (request) => verifyOwnCustomDomain(request.ctx, request.params),
  }),
];
