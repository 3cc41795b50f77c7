import { Type } from 'typebox';
import { PageOf, PageQuery, pageOfWhole } from '#platform/page.ts';
import { get, type Routes } from '#platform/route.ts';
import { describeEventType, EventTypeDescription, eventTypeDescriptions } from './event-types.ts';

export const eventTypeRoutes: Routes = [
  get('/v1/admin/webhooks/event-types', {
    permission: 'webhooks:read',
    summary: 'List event types',
    description: 'All event types with their JSON Schemas and examples, sorted by name.',
    query: PageQuery,
    responses: { 200: PageOf(EventTypeDescription) },
    problems: ['INVALID_CURSOR'],
    handler: ({ ctx, query }) =>
      pageOfWhole(ctx, eventTypeDescriptions(ctx.system), {
        list: 'event-types',
        query,
        positionOf: ({ type }) => [type],
      }),
  }),
  get('/v1/admin/webhooks/event-types/:type', {
    permission: 'webhooks:read',
    etag: true,
    summary: 'Read an event type',
    params: Type.Object({ type: Type.String({ maxLength: 100, examples: ['user.created'] }) }),
    responses: { 200: EventTypeDescription },
    problems: ['NOT_FOUND'],
    handler: ({ ctx, params }) => describeEventType(ctx.system, params.type),
  }),
];
