import { Type } from 'typebox';
import { IdSchema } from '#platform/ids.ts';
import { PageOf } from '#platform/page.ts';
import { get, post, type Routes } from '#platform/route.ts';
import {
  Delivery,
  DeliveryQuery,
  DeliveryWithAttempts,
  getDelivery,
  listDeliveries,
  retryDelivery,
} from './deliveries.ts';

const DeliveryRef = Type.Object({ deliveryId: IdSchema('dlv') });

export const deliveryRoutes: Routes = [
  get('/v1/admin/webhooks/deliveries', {
    permission: 'webhooks:read',
    summary: 'List webhook deliveries',
    query: DeliveryQuery,
    responses: { 200: PageOf(Delivery) },
    problems: ['INVALID_CURSOR'],
    handler: (request) => listDeliveries(request.ctx, request.query),
  }),
  get('/v1/admin/webhooks/deliveries/:deliveryId', {
    permission: 'webhooks:read',
    etag: true,
    summary: 'Read a webhook delivery with its payload and attempts',
    params: DeliveryRef,
    responses: { 200: DeliveryWithAttempts },
    problems: ['NOT_FOUND'],
    handler: (request) => getDelivery(request.ctx, request.params.deliveryId),
  }),
  post('/v1/admin/webhooks/deliveries/:deliveryId/retry', {
    permission: 'webhooks:write',
    stepUp: false,
    summary: 'Retry a webhook delivery',
    description: 'Makes one more attempt now, whatever the state of the delivery.',
    params: DeliveryRef,
    responses: { 202: DeliveryWithAttempts },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) => retryDelivery(request.ctx, request.params.deliveryId),
  }),
];
