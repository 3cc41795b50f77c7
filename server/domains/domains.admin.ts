import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { callingAhead } from '#platform/http-ahead.ts';
import { IdSchema } from '#platform/ids.ts';
import { PageOf, PageQuery, pageOfWhole } from '#platform/page.ts';
import { del, get, post, type Routes } from '#platform/route.ts';
import { Binding, BindingRef, bindDomain, listBindings, NewBinding, unbindDomain } from './domain-bindings.ts';
import { lookUpProof, verifyDomain } from './domain-checks.ts';
import { claimDomain, Domain, deleteDomain, domainRecord, findDomain, listDomains, NewDomain } from './domains.ts';

const DomainRef = Type.Object({ domainId: IdSchema('dom') });

const proof = callingAhead(({ ctx, params }) => lookUpProof(ctx, Value.Parse(DomainRef, params).domainId));

export const domainRoutes: Routes = [
  get('/v1/admin/domains', {
    permission: 'domains:read',
    summary: 'List domains',
    query: PageQuery,
    responses: { 200: PageOf(Domain) },
    problems: ['INVALID_CURSOR'],
    handler: (request) => listDomains(request.ctx, request.query),
  }),
  post('/v1/admin/domains', {
    permission: 'domains:write',
    stepUp: false,
    summary: 'Add a domain',
    description:
      'Returns the TXT record that proves ownership. Up to 50 per project environment. A host that another project has verified cannot be added.',
    body: NewDomain,
    responses: { 201: Domain },
    problems: ['ALREADY_EXISTS', 'CONFLICT'],
    handler: (request) => claimDomain(request.ctx, request.body.host),
  }),
  get('/v1/admin/domains/:domainId', {
    permission: 'domains:read',
    etag: { without: ['checkedAt'] },
    summary: 'Read a domain',
    params: DomainRef,
    responses: { 200: Domain },
    problems: ['NOT_FOUND'],
    handler: async (request) => domainRecord(await findDomain(request.ctx, request.params.domainId)),
  }),
  del('/v1/admin/domains/:domainId', {
    permission: 'domains:write',
    stepUp: true,
    summary: 'Remove a domain',
    description:
      'Removes its bindings too, so the domain serves nothing from then on. If it is added again, it needs another TXT record.',
    params: DomainRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND'],
    handler: (request) => deleteDomain(request.ctx, request.params.domainId),
  }),
  post('/v1/admin/domains/:domainId/verify', {
    permission: 'domains:write',
    stepUp: false,
    ahead: proof.call,
    summary: 'Verify a domain',
    description: 'Looks the TXT record up now. Up to ten times a minute.',
    params: DomainRef,
    responses: { 200: Domain },
    problems: ['NOT_FOUND', 'DOMAIN_NOT_VERIFIED', 'ALREADY_EXISTS', 'CONFLICT', 'RATE_LIMIT_EXCEEDED'],
    handler: (request) => verifyDomain(request.ctx, proof.resultFor(request)),
  }),
  get('/v1/admin/domains/:domainId/bindings', {
    permission: 'domains:read',
    etag: true,
    summary: 'List the bindings of a domain',
    params: DomainRef,
    query: PageQuery,
    responses: { 200: PageOf(Binding) },
    problems: ['NOT_FOUND', 'INVALID_CURSOR'],
    handler: async ({ ctx, params: { domainId }, query }) => {
      const list = `bindings of ${domainId}`;
      // If this list is read for the precondition of a DELETE, the query is that of the DELETE.
      const page = Value.Parse(PageQuery, query);
      return pageOfWhole(ctx, await listBindings(ctx, domainId), {
        list,
        query: page,
        positionOf: ({ purpose }) => [purpose],
      });
    },
  }),
  post('/v1/admin/domains/:domainId/bindings', {
    permission: 'domains:write',
    stepUp: true,
    summary: 'Bind a domain',
    description:
      'Makes it an address of its project environment immediately: for `auth`, `api`, or `status`, the status page of the project. An auth address is an issuer of its own.',
    params: DomainRef,
    body: NewBinding,
    responses: { 201: Binding },
    problems: ['NOT_FOUND', 'DOMAIN_NOT_VERIFIED', 'ALREADY_EXISTS', 'CONTEXT_NOT_ALLOWED', 'CONFLICT'],
    handler: (request) => bindDomain(request.ctx, request.params.domainId, request.body),
  }),
  del('/v1/admin/domains/:domainId/bindings', {
    permission: 'domains:write',
    stepUp: true,
    summary: 'Unbind a domain',
    params: DomainRef,
    query: BindingRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND', 'CONTEXT_NOT_ALLOWED'],
    handler: (request) => unbindDomain(request.ctx, request.params.domainId, request.query),
  }),
];
