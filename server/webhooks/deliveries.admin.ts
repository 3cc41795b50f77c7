import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { PageOf } from '#platform/page.ts';
import { problemResponses } from '#platform/problem.ts';
import {
  Delivery,
  DeliveryQuery,
  DeliveryWithAttempts,
  getDelivery,
  listDeliveries,
  retryDelivery,
} from './deliveries.ts';

const DeliveryRef = Type.Object({ deliveryId: IdSchema('dlv') });

export const deliveryRoutes: Routes = (app) => {
  app.get(
    '/v1/admin/webhooks/deliveries',
    {
      config: { permission: 'webhooks:read' },
      schema: {
        summary: 'List webhook deliveries',
        querystring: DeliveryQuery,
        response: { 200: PageOf(Delivery), ...problemResponses('INVALID_CURSOR') },
      },
    },
    (request) => listDeliveries(request.ctx, request.query),
  );

  app.get(
    '/v1/admin/webhooks/deliveries/:deliveryId',
    {
      config: { permission: 'webhooks:read', etag: true },
      schema: {
        summary: 'Read a webhook delivery with its payload and attempts',
        params: DeliveryRef,
        response: { 200: DeliveryWithAttempts, ...problemResponses('NOT_FOUND') },
      },
    },
    (request) => getDelivery(request.ctx, request.params.deliveryId),
  );

  app.post(
    '/v1/admin/webhooks/deliveries/:deliveryId/retry',
    {
      config: { permission: 'webhooks:write', stepUp: false },
      schema: {
        summary: 'Retry a webhook delivery',
        description: 'Makes one more attempt now, whatever became of the delivery before.',
        params: DeliveryRef,
        response: { 202: DeliveryWithAttempts, ...problemResponses('NOT_FOUND', 'CONFLICT') },
      },
    },
    async (request, reply) => reply.code(202).send(await retryDelivery(request.ctx, request.params.deliveryId)),
  );
};
