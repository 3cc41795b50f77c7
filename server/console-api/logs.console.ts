import { Type } from 'typebox';
import { AuditEvent, AuditQuery, searchAudit } from '#audit';
import { PageOf } from '#platform/page.ts';
import { get, type Routes } from '#platform/route.ts';
import { Names, namesIn } from './names.ts';

const { action: _action, hash: _hash, ...recorded } = AuditEvent.properties;
const RecordedEvent = Type.Object({ ...recorded, type: Type.String() });
const { action: type, resource: _resource, actor: _actor, ...LogQuery } = AuditQuery.properties;

/** The event log for people: newest first, with names. The feed is for programs, which need the oldest first. */
export const logRoutes: Routes = [
  get('/console/v1/event-log', {
    permission: 'events:read',
    summary: 'Read the event log backwards',
    description: 'Newest first. Every event of the project environment is in it, within a second.',
    query: Type.Object({ ...LogQuery, type }),
    responses: { 200: Type.Object({ ...PageOf(RecordedEvent).properties, names: Names }) },
    problems: ['INVALID_CURSOR'],
    handler: async ({ ctx, query: { type: action, ...query } }) => {
      const { items, nextCursor } = await searchAudit(ctx, { ...query, ...(action !== undefined && { action }) });
      const names = await namesIn(ctx, items);
      return { items: items.map((event) => ({ ...event, type: event.action })), nextCursor, names };
    },
  }),
  get('/console/v1/audit-log', {
    permission: 'audit:read',
    summary: 'Read the audit log with names',
    description: 'Like `GET /console/v1/audit-events`, with the names of the ids.',
    query: AuditQuery,
    responses: { 200: Type.Object({ ...PageOf(AuditEvent).properties, names: Names }) },
    problems: ['INVALID_CURSOR'],
    handler: async ({ ctx, query }) => {
      const page = await searchAudit(ctx, query);
      return { ...page, names: await namesIn(ctx, page.items) };
    },
  }),
];
