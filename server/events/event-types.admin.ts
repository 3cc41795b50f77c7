import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';
import { openCursor, PageOf, PageQuery, pageOf } from '#platform/page.ts';
import { problemResponses } from '#platform/problem.ts';
import { describeEventType, EventTypeDescription, eventTypeDescriptions } from './event-types.ts';

const LIST = 'event-types';

export const eventTypeRoutes: Routes = (app) => {
  app.get(
    '/v1/admin/webhooks/event-types',
    {
      config: { permission: 'webhooks:read' },
      schema: {
        summary: 'List event types',
        description: 'Every type of event with its JSON Schema and an example, by name.',
        querystring: PageQuery,
        response: { 200: PageOf(EventTypeDescription), ...problemResponses('INVALID_CURSOR') },
      },
    },
    ({ ctx, query: { limit, cursor } }) => {
      const after = cursor === undefined ? '' : openCursor(ctx, LIST, cursor);
      const rest = eventTypeDescriptions.filter(({ type }) => type > after);
      const page = pageOf(ctx, rest.slice(0, limit + 1), { list: LIST, limit, keyOf: ({ type }) => type });
      return { items: page.rows, nextCursor: page.nextCursor };
    },
  );

  app.get(
    '/v1/admin/webhooks/event-types/:type',
    {
      config: { permission: 'webhooks:read', etag: true },
      schema: {
        summary: 'Read an event type',
        params: Type.Object({ type: Type.String({ maxLength: 100, examples: ['user.created'] }) }),
        response: { 200: EventTypeDescription, ...problemResponses('NOT_FOUND') },
      },
    },
    ({ params }) => describeEventType(params.type),
  );
};
