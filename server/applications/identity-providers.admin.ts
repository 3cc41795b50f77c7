import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { problemResponses } from '#platform/problem.ts';
import {
  createProvider,
  deleteProvider,
  getProvider,
  listProviders,
  NewProvider,
  Provider,
  ProviderChanges,
  updateProvider,
} from './identity-providers.ts';

const ProviderRef = Type.Object({ providerId: IdSchema('idp') });

export const identityProviderRoutes: Routes = (app) => {
  app.get(
    '/v1/admin/identity-providers',
    {
      config: { permission: 'providers:read' },
      schema: {
        summary: 'List identity providers',
        querystring: PageQuery,
        response: { 200: PageOf(Provider), ...problemResponses('INVALID_CURSOR') },
      },
    },
    (request) => listProviders(request.ctx, request.query),
  );

  app.post(
    '/v1/admin/identity-providers',
    {
      config: { permission: 'providers:write', stepUp: true },
      schema: {
        summary: 'Add an identity provider',
        body: NewProvider,
        response: { 201: Provider, ...problemResponses('ALREADY_EXISTS') },
      },
    },
    async (request, reply) => reply.code(201).send(await createProvider(request.ctx, request.body)),
  );

  app.get(
    '/v1/admin/identity-providers/:providerId',
    {
      config: { permission: 'providers:read', etag: { without: ['callbackUrls'] } },
      schema: {
        summary: 'Read an identity provider',
        params: ProviderRef,
        response: { 200: Provider, ...problemResponses('NOT_FOUND') },
      },
    },
    (request) => getProvider(request.ctx, request.params.providerId),
  );

  app.patch(
    '/v1/admin/identity-providers/:providerId',
    {
      config: { permission: 'providers:write', stepUp: true },
      schema: {
        summary: 'Change an identity provider',
        params: ProviderRef,
        body: ProviderChanges,
        response: { 200: Provider, ...problemResponses('NOT_FOUND') },
      },
    },
    (request) => updateProvider(request.ctx, request.params.providerId, request.body),
  );

  app.delete(
    '/v1/admin/identity-providers/:providerId',
    {
      config: { permission: 'providers:write', stepUp: true },
      schema: {
        summary: 'Remove an identity provider',
        params: ProviderRef,
        response: { 204: Type.Null(), ...problemResponses('NOT_FOUND') },
      },
    },
    async (request, reply) => {
      await deleteProvider(request.ctx, request.params.providerId);
      return reply.code(204).send(null);
    },
  );
};
