import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';
import { PageOf } from '#platform/page.ts';
import { problemResponses } from '#platform/problem.ts';
import {
  Bounces,
  deleteSubscriber,
  Imported,
  importSubscribers,
  listSubscribers,
  Quarantined,
  reportBounces,
  Subscriber,
  SubscriberImport,
  SubscriberQuery,
  SubscriberRef,
} from './subscribers.ts';

export const statusSubscriberRoutes: Routes = (app) => {
  app.get(
    '/v1/admin/status/subscribers',
    {
      config: { permission: 'status:read' },
      schema: {
        summary: 'List status subscribers',
        querystring: SubscriberQuery,
        response: { 200: PageOf(Subscriber), ...problemResponses('NOT_FOUND', 'INVALID_CURSOR') },
      },
    },
    (request) => listSubscribers(request.ctx, request.query),
  );

  app.post(
    '/v1/admin/status/subscribers/import',
    {
      config: { permission: 'status:write', stepUp: false },
      schema: {
        summary: 'Import subscribers who have agreed elsewhere',
        description: 'Who is known already, or has left before, is skipped.',
        body: SubscriberImport,
        response: { 200: Imported, ...problemResponses('NOT_FOUND') },
      },
    },
    (request) => importSubscribers(request.ctx, request.body),
  );

  app.post(
    '/v1/admin/status/subscribers/bounces',
    {
      config: { permission: 'status:write', stepUp: false },
      schema: {
        summary: 'Report addresses whose mails came back',
        description: 'Addresses that the mail server refuses at once are set aside without this.',
        body: Bounces,
        response: { 200: Quarantined, ...problemResponses('NOT_FOUND') },
      },
    },
    (request) => reportBounces(request.ctx, request.body),
  );

  app.delete(
    '/v1/admin/status/subscribers/:id',
    {
      config: { permission: 'status:write', stepUp: false },
      schema: {
        summary: 'Forget a subscriber',
        params: SubscriberRef,
        response: { 204: Type.Null({ description: 'Forgotten.' }), ...problemResponses('NOT_FOUND') },
      },
    },
    async (request, reply) => {
      await deleteSubscriber(request.ctx, request.params.id);
      return reply.code(204).send(null);
    },
  );
};
