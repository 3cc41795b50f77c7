import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Routes } from '#platform/http.ts';
import { askedAhead } from '#platform/http-ahead.ts';
import { IdSchema } from '#platform/ids.ts';
import { PageOf, PageQuery, pageOfWhole } from '#platform/page.ts';
import { problemResponses } from '#platform/problem.ts';
import { Binding, BindingRef, bindDomain, listBindings, NewBinding, unbindDomain } from './domain-bindings.ts';
import { lookUpProof, verifyDomain } from './domain-checks.ts';
import { claimDomain, Domain, domainRecord, findDomain, listDomains, NewDomain, removeDomain } from './domains.ts';

const DomainRef = Type.Object({ domainId: IdSchema('dom') });

const proof = askedAhead(({ ctx, params }) => lookUpProof(ctx, Value.Parse(DomainRef, params).domainId));

export const domainRoutes: Routes = (app) => {
  app.get(
    '/v1/admin/domains',
    {
      config: { permission: 'domains:read' },
      schema: {
        summary: 'List domains',
        querystring: PageQuery,
        response: { 200: PageOf(Domain), ...problemResponses('INVALID_CURSOR') },
      },
    },
    (request) => listDomains(request.ctx, request.query),
  );

  app.post(
    '/v1/admin/domains',
    {
      config: { permission: 'domains:write', stepUp: false },
      schema: {
        summary: 'Add a domain',
        description:
          'Answers the TXT record that proves it. Up to 50 per project environment. A host that another project has proven can not be added.',
        body: NewDomain,
        response: { 201: Domain, ...problemResponses('ALREADY_EXISTS', 'CONFLICT') },
      },
    },
    async (request, reply) => reply.code(201).send(await claimDomain(request.ctx, request.body.host)),
  );

  app.get(
    '/v1/admin/domains/:domainId',
    {
      config: { permission: 'domains:read', etag: { without: ['checkedAt'] } },
      schema: {
        summary: 'Read a domain',
        params: DomainRef,
        response: { 200: Domain, ...problemResponses('NOT_FOUND') },
      },
    },
    async (request) => domainRecord(await findDomain(request.ctx, request.params.domainId)),
  );

  app.delete(
    '/v1/admin/domains/:domainId',
    {
      config: { permission: 'domains:write', stepUp: true },
      schema: {
        summary: 'Remove a domain',
        description: 'With its bindings: it serves nothing from now on. Added again, it needs another TXT record.',
        params: DomainRef,
        response: { 204: Type.Null(), ...problemResponses('NOT_FOUND') },
      },
    },
    async (request, reply) => {
      await removeDomain(request.ctx, request.params.domainId);
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/v1/admin/domains/:domainId/verify',
    {
      config: { permission: 'domains:write', stepUp: false, ahead: proof.ask },
      schema: {
        summary: 'Verify a domain',
        description: 'Looks the TXT record up now. Up to ten times a minute.',
        params: DomainRef,
        response: {
          200: Domain,
          ...problemResponses('NOT_FOUND', 'DOMAIN_NOT_VERIFIED', 'ALREADY_EXISTS', 'CONFLICT', 'RATE_LIMIT_EXCEEDED'),
        },
      },
    },
    (request) => verifyDomain(request.ctx, proof.answerFor(request)),
  );
};

export const domainBindingRoutes: Routes = (app) => {
  app.get(
    '/v1/admin/domains/:domainId/bindings',
    {
      config: { permission: 'domains:read' },
      schema: {
        summary: 'List what a domain serves',
        params: DomainRef,
        querystring: PageQuery,
        response: { 200: PageOf(Binding), ...problemResponses('NOT_FOUND', 'INVALID_CURSOR') },
      },
    },
    async ({ ctx, params: { domainId }, query }) => {
      const list = `bindings of ${domainId}`;
      return pageOfWhole(ctx, await listBindings(ctx, domainId), { list, query, keyOf: ({ purpose }) => purpose });
    },
  );

  app.post(
    '/v1/admin/domains/:domainId/bindings',
    {
      config: { permission: 'domains:write', stepUp: true },
      schema: {
        summary: 'Bind a domain',
        description:
          'Makes it an auth or API address of the project environment it belongs to, at once. As an auth address it is an issuer of its own.',
        params: DomainRef,
        body: NewBinding,
        response: {
          201: Binding,
          ...problemResponses('NOT_FOUND', 'DOMAIN_NOT_VERIFIED', 'ALREADY_EXISTS', 'CONTEXT_NOT_ALLOWED'),
        },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await bindDomain(request.ctx, request.params.domainId, request.body)),
  );

  app.delete(
    '/v1/admin/domains/:domainId/bindings',
    {
      config: { permission: 'domains:write', stepUp: true },
      schema: {
        summary: 'Unbind a domain',
        params: DomainRef,
        querystring: BindingRef,
        response: { 204: Type.Null(), ...problemResponses('NOT_FOUND', 'CONTEXT_NOT_ALLOWED') },
      },
    },
    async (request, reply) => {
      await unbindDomain(request.ctx, request.params.domainId, request.query);
      return reply.code(204).send(null);
    },
  );
};
