import { Type } from 'typebox';
import { PageOf } from '#platform/page.ts';
import { del, get, post, type Routes } from '#platform/route.ts';
import {
  Bounces,
  deleteSubscriber,
  getSubscriber,
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

export const statusSubscriberRoutes: Routes = [
  get('/v1/admin/status/subscribers', {
    permission: 'status:read',
    summary: 'List status subscribers',
    query: SubscriberQuery,
    responses: { 200: PageOf(Subscriber) },
    problems: ['NOT_FOUND', 'INVALID_CURSOR'],
    handler: (request) => listSubscribers(request.ctx, request.query),
  }),
  post('/v1/admin/status/subscribers/import', {
    permission: 'status:write',
    stepUp: false,
    summary: 'Import subscribers who consented elsewhere',
    description: 'People who are subscribed already or have unsubscribed are skipped.',
    body: SubscriberImport,
    responses: { 200: Imported },
    problems: ['NOT_FOUND'],
    handler: (request) => importSubscribers(request.ctx, request.body),
  }),
  post('/v1/admin/status/subscribers/bounces', {
    permission: 'status:write',
    stepUp: false,
    summary: 'Report bounced addresses',
    description:
      'Needed only for bounces that arrive later: an address that the mail server rejects during sending is suppressed automatically.',
    body: Bounces,
    responses: { 200: Quarantined },
    problems: ['NOT_FOUND'],
    handler: (request) => reportBounces(request.ctx, request.body),
  }),
  get('/v1/admin/status/subscribers/:id', {
    permission: 'status:read',
    etag: true,
    summary: 'Read a status subscriber',
    params: SubscriberRef,
    responses: { 200: Subscriber },
    problems: ['NOT_FOUND'],
    handler: (request) => getSubscriber(request.ctx, request.params.id),
  }),
  del('/v1/admin/status/subscribers/:id', {
    permission: 'status:write',
    stepUp: false,
    summary: 'Delete a subscriber',
    params: SubscriberRef,
    responses: { 204: Type.Null({ description: 'Forgotten.' }) },
    problems: ['NOT_FOUND'],
    handler: (request) => deleteSubscriber(request.ctx, request.params.id),
  }),
];
