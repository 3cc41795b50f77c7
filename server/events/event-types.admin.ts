import { Type } from 'typebox';
import { openCursor, PageOf, PageQuery, pageOf } from '#platform/page.ts';
import { get, type Routes } from '#platform/route.ts';
import { describeEventType, EventTypeDescription, eventTypeDescriptions } from './event-types.ts';

const LIST = 'event-types';

export const eventTypeRoutes: Routes = [
  get('/v1/admin/webhooks/event-types', {
    permission: 'webhooks:read',
    summary: 'List event types',
    description: 'All event types with their JSON Schemas and examples, sorted by name.',
    query: PageQuery,
    responses: { 200: PageOf(EventTypeDescription) },
    problems: ['INVALID_CURSOR'],
    handler: ({ ctx, query: { limit, cursor } }) => {
      const after = cursor === undefined ? '' : openCursor(ctx, LIST, cursor);
      const rest = eventTypeDescriptions.filter(({ type }) => type > after);
      const page = pageOf(ctx, rest.slice(0, limit + 1), { list: LIST, limit, keyOf: ({ type }) => type });
      return { items: page.rows, nextCursor: page.nextCursor };
    },
  }),
  get('/v1/admin/webhooks/event-types/:type', {
    permission: 'webhooks:read',
    etag: true,
    summary: 'Read an event type',
    params: Type.Object({ type: Type.String({ maxLength: 100, examples: ['user.created'] }) }),
    responses: { 200: EventTypeDescription },
    problems: ['NOT_FOUND'],
    handler: ({ params }) => describeEventType(params.type),
  }),
];
