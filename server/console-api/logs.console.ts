import { Type } from 'typebox';
import { AuditEvent, AuditQuery, searchAudit } from '#audit';
import { PageOf } from '#platform/page.ts';
import { get, type Routes } from '#platform/route.ts';
import { Delivery, DeliveryQuery, listDeliveries } from '#webhooks';
import { Named, namesIn } from './names.ts';

const { action: _action, hash: _hash, ...recorded } = AuditEvent.properties;
const RecordedEvent = Type.Object({ ...recorded, type: Type.String() });
const { action: type, resource: _resource, ...LogQuery } = AuditQuery.properties;

/** The event log for people: newest first, with names. The feed is for programs, which need the oldest first. */
export const logRoutes: Routes = [
  get('/console/v1/event-log', {
    permission: 'events:read',
    summary: 'Read the event log backwards',
    description:
      'Newest first. Every event of the project environment is in it, within a second. `actor` is who caused the event: a member (`customer`), an operator, an application (`management`), a set-up link, the system, or `anonymous` where nobody had signed in yet.',
    query: Type.Object({ ...LogQuery, type }),
    responses: { 200: Type.Object({ ...PageOf(RecordedEvent).properties, ...Named }) },
    problems: ['INVALID_CURSOR'],
    handler: async ({ ctx, query: { type: action, ...query } }) => {
      const { items, nextCursor } = await searchAudit(ctx, { ...query, ...(action !== undefined && { action }) });
      const named = await namesIn(ctx, items);
      return { items: items.map((event) => ({ ...event, type: event.action })), nextCursor, ...named };
    },
  }),
  get('/console/v1/audit-log', {
    permission: 'audit:read',
    summary: 'Read the audit log with names',
    description: 'Like `GET /console/v1/audit-events`, with the names of the ids.',
    query: AuditQuery,
    responses: { 200: Type.Object({ ...PageOf(AuditEvent).properties, ...Named }) },
    problems: ['INVALID_CURSOR'],
    handler: async ({ ctx, query }) => {
      const page = await searchAudit(ctx, query);
      return { ...page, ...(await namesIn(ctx, page.items)) };
    },
  }),
  get('/console/v1/delivery-log', {
    permission: 'webhooks:read',
    summary: 'List webhook deliveries with names',
    description: 'Like `GET /console/v1/webhooks/deliveries`, with the names of the people that the events are about.',
    query: DeliveryQuery,
    responses: { 200: Type.Object({ ...PageOf(Delivery).properties, ...Named }) },
    problems: ['INVALID_CURSOR'],
    handler: async ({ ctx, query }) => {
      const page = await listDeliveries(ctx, query);
      const about = page.items.map(({ userId }) => ({ actor: null, resources: userId === null ? [] : [userId] }));
      return { ...page, ...(await namesIn(ctx, about)) };
    },
  }),
];
