import { Type } from 'typebox';
import { IdSchema } from '#platform/ids.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { del, get, patch, post, type Routes } from '#platform/route.ts';
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

export const identityProviderRoutes: Routes = [
  get('/v1/admin/identity-providers', {
    permission: 'providers:read',
    summary: 'List identity providers',
    query: PageQuery,
    responses: { 200: PageOf(Provider) },
    problems: ['INVALID_CURSOR'],
    handler: (request) => listProviders(request.ctx, request.query),
  }),
  post('/v1/admin/identity-providers', {
    permission: 'providers:write',
    stepUp: true,
    summary: 'Add an identity provider',
    body: NewProvider,
    responses: { 201: Provider },
    problems: ['ALREADY_EXISTS'],
    handler: (request) => createProvider(request.ctx, request.body),
  }),
  get('/v1/admin/identity-providers/:providerId', {
    permission: 'providers:read',
    etag: { without: ['callbackUrls'] },
    summary: 'Read an identity provider',
    params: ProviderRef,
    responses: { 200: Provider },
    problems: ['NOT_FOUND'],
    handler: (request) => getProvider(request.ctx, request.params.providerId),
  }),
  patch('/v1/admin/identity-providers/:providerId', {
    permission: 'providers:write',
    stepUp: true,
    summary: 'Change an identity provider',
    params: ProviderRef,
    body: ProviderChanges,
    responses: { 200: Provider },
    problems: ['NOT_FOUND'],
    handler: (request) => updateProvider(request.ctx, request.params.providerId, request.body),
  }),
  del('/v1/admin/identity-providers/:providerId', {
    permission: 'providers:write',
    stepUp: true,
    summary: 'Remove an identity provider',
    params: ProviderRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND'],
    handler: (request) => deleteProvider(request.ctx, request.params.providerId),
  }),
];
