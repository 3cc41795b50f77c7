import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Request } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { requireReceiver } from '#platform/receiver-address.ts';
import { del, get, patch, post, type Routes } from '#platform/route.ts';
import {
  createEndpoint,
  deleteEndpoint,
  Endpoint,
  EndpointChanges,
  EndpointWithSecret,
  getEndpoint,
  listEndpoints,
  NewEndpoint,
  updateEndpoint,
} from './endpoints.ts';

const WithUrl = Type.Object({ url: Type.String() });

/**
 * Checks a new address, including DNS.
 * @throws Problem VALIDATION_FAILED
 */
async function ahead({ ctx, body }: Request): Promise<void> {
  if (Value.Check(WithUrl, body)) await requireReceiver(ctx, body.url);
}

const EndpointRef = Type.Object({ endpointId: IdSchema('whe') });

export const endpointRoutes: Routes = [
  get('/v1/admin/webhooks/endpoints', {
    permission: 'webhooks:read',
    summary: 'List webhook endpoints',
    query: PageQuery,
    responses: { 200: PageOf(Endpoint) },
    problems: ['INVALID_CURSOR'],
    handler: (request) => listEndpoints(request.ctx, request.query),
  }),
  post('/v1/admin/webhooks/endpoints', {
    permission: 'webhooks:write',
    stepUp: true,
    ahead,
    summary: 'Add a webhook endpoint',
    description:
      'Up to 50 per project environment. The response contains the signing secret, which is shown only once.',
    body: NewEndpoint,
    responses: { 201: EndpointWithSecret },
    problems: ['CONFLICT', 'NOT_FOUND'],
    handler: (request) => createEndpoint(request.ctx, request.body),
  }),
  get('/v1/admin/webhooks/endpoints/:endpointId', {
    permission: 'webhooks:read',
    etag: { without: ['failingSince', 'pausedUntil'] },
    summary: 'Read a webhook endpoint',
    params: EndpointRef,
    responses: { 200: Endpoint },
    problems: ['NOT_FOUND'],
    handler: (request) => getEndpoint(request.ctx, request.params.endpointId),
  }),
  patch('/v1/admin/webhooks/endpoints/:endpointId', {
    permission: 'webhooks:write',
    stepUp: true,
    ahead,
    summary: 'Change a webhook endpoint',
    params: EndpointRef,
    body: EndpointChanges,
    responses: { 200: Endpoint },
    problems: ['NOT_FOUND'],
    handler: (request) => updateEndpoint(request.ctx, request.params.endpointId, request.body),
  }),
  del('/v1/admin/webhooks/endpoints/:endpointId', {
    permission: 'webhooks:write',
    stepUp: true,
    summary: 'Remove a webhook endpoint',
    description: 'Pending deliveries are cancelled. Its deliveries remain in the log until their retention ends.',
    params: EndpointRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND'],
    handler: (request) => deleteEndpoint(request.ctx, request.params.endpointId),
  }),
];
