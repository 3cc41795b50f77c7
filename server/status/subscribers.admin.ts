import { Type } from 'typebox';
import { PageOf } from '#platform/page.ts';
import { del, get, post, type Routes } from '#platform/route.ts';
import { managedPage } from './pages.ts';
import { NoticeDraft, NoticePreview, previewNotice } from './preview.ts';
import {
  CountQuery,
  countTold,
  deleteSubscriber,
  getSubscriber,
  Imported,
  importSubscribers,
  listSubscribers,
  Subscriber,
  SubscriberCount,
  SubscriberImport,
  SubscriberQuery,
  SubscriberRef,
} from './subscribers.ts';
import { Bounces, Quarantined, reportBounces } from './suspensions.ts';

export const statusSubscriberRoutes: Routes = [
  get('/v1/admin/status/subscribers', {
    permission: 'status:read',
    summary: 'List status subscribers',
    query: SubscriberQuery,
    responses: { 200: PageOf(Subscriber) },
    problems: ['NOT_FOUND', 'INVALID_CURSOR'],
    handler: async (request) => listSubscribers(await managedPage(request.ctx), request.query),
  }),
  get('/v1/admin/status/subscribers/count', {
    permission: 'status:read',
    summary: 'Count who would be told',
    description: 'The active subscribers who get a message about an incident or a maintenance of the components.',
    query: CountQuery,
    responses: { 200: SubscriberCount },
    problems: ['NOT_FOUND'],
    handler: async (request) => countTold(await managedPage(request.ctx), request.query),
  }),
  post('/v1/admin/status/preview', {
    permission: 'status:write',
    stepUp: false,
    summary: 'Preview what subscribers would be told',
    description: 'The message of each channel, and how many would get it. Nothing is sent.',
    body: NoticeDraft,
    responses: { 200: NoticePreview },
    silent: 'it changes nothing',
    problems: ['NOT_FOUND'],
    handler: async (request) => previewNotice(await managedPage(request.ctx), request.body),
  }),
  post('/v1/admin/status/subscribers/import', {
    permission: 'status:write',
    stepUp: false,
    summary: 'Import subscribers who consented elsewhere',
    description: 'People who are subscribed already or have unsubscribed are skipped.',
    body: SubscriberImport,
    responses: { 200: Imported },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async (request) => importSubscribers(await managedPage(request.ctx), request.body),
  }),
  post('/v1/admin/status/subscribers/bounces', {
    permission: 'status:write',
    stepUp: false,
    summary: 'Report bounced addresses',
    description:
      'Needed only for bounces that arrive later. An address or number that is refused during sending, or by a signed delivery report of the carrier, is suspended by itself.',
    body: Bounces,
    responses: { 200: Quarantined },
    problems: ['NOT_FOUND'],
    handler: async (request) => reportBounces(await managedPage(request.ctx), request.body),
  }),
  get('/v1/admin/status/subscribers/:id', {
    permission: 'status:read',
    etag: true,
    summary: 'Read a status subscriber',
    params: SubscriberRef,
    responses: { 200: Subscriber },
    problems: ['NOT_FOUND'],
    handler: async (request) => getSubscriber(await managedPage(request.ctx), request.params.id),
  }),
  del('/v1/admin/status/subscribers/:id', {
    permission: 'status:write',
    stepUp: false,
    summary: 'Delete a subscriber',
    params: SubscriberRef,
    responses: { 204: Type.Null({ description: 'Forgotten.' }) },
    problems: ['NOT_FOUND'],
    handler: async (request) => deleteSubscriber(await managedPage(request.ctx), request.params.id),
  }),
];
