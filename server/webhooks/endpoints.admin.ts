import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Request, Routes } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { problemResponses } from '#platform/problem.ts';
import { requireReceiver } from './endpoint-rules.ts';
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

/** Looks a new address up. @throws Problem VALIDATION_FAILED */
async function ahead({ ctx, body }: Request): Promise<void> {
  if (Value.Check(WithUrl, body)) await requireReceiver(ctx, body.url);
}

const EndpointRef = Type.Object({ endpointId: IdSchema('whe') });

export const endpointRoutes: Routes = (app) => {
  app.get(
    '/v1/admin/webhooks/endpoints',
    {
      config: { permission: 'webhooks:read' },
      schema: {
        summary: 'List webhook endpoints',
        querystring: PageQuery,
        response: { 200: PageOf(Endpoint), ...problemResponses('INVALID_CURSOR') },
      },
    },
    (request) => listEndpoints(request.ctx, request.query),
  );

  app.post(
    '/v1/admin/webhooks/endpoints',
    {
      config: { permission: 'webhooks:write', stepUp: true, ahead },
      schema: {
        summary: 'Add a webhook endpoint',
        description: 'Up to 50 per project environment. The answer holds the signing secret, which is not shown again.',
        body: NewEndpoint,
        response: { 201: EndpointWithSecret, ...problemResponses('CONFLICT') },
      },
    },
    async (request, reply) => reply.code(201).send(await createEndpoint(request.ctx, request.body)),
  );

  app.get(
    '/v1/admin/webhooks/endpoints/:endpointId',
    {
      config: { permission: 'webhooks:read', etag: { without: ['failingSince', 'pausedUntil'] } },
      schema: {
        summary: 'Read a webhook endpoint',
        params: EndpointRef,
        response: { 200: Endpoint, ...problemResponses('NOT_FOUND') },
      },
    },
    (request) => getEndpoint(request.ctx, request.params.endpointId),
  );

  app.patch(
    '/v1/admin/webhooks/endpoints/:endpointId',
    {
      config: { permission: 'webhooks:write', stepUp: true, ahead },
      schema: {
        summary: 'Change a webhook endpoint',
        params: EndpointRef,
        body: EndpointChanges,
        response: { 200: Endpoint, ...problemResponses('NOT_FOUND') },
      },
    },
    (request) => updateEndpoint(request.ctx, request.params.endpointId, request.body),
  );

  app.delete(
    '/v1/admin/webhooks/endpoints/:endpointId',
    {
      config: { permission: 'webhooks:write', stepUp: true },
      schema: {
        summary: 'Remove a webhook endpoint',
        description:
          'What still waits for it is not delivered. Its deliveries stay in the log until they are out of retention.',
        params: EndpointRef,
        response: { 204: Type.Null(), ...problemResponses('NOT_FOUND') },
      },
    },
    async (request, reply) => {
      await deleteEndpoint(request.ctx, request.params.endpointId);
      return reply.code(204).send(null);
    },
  );
};
