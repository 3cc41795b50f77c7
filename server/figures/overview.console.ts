import { Type } from 'typebox';
import { listInbox, messageStatuses, readInbox } from '#messages';
import { IdSchema } from '#platform/ids.ts';
import { get, type Routes } from '#platform/route.ts';
import { Instant } from '#platform/schemas.ts';
import { Overview, OverviewQuery, overviewOf } from './figures.ts';

const InboxMessage = Type.Object({
  id: IdSchema('msg'),
  channel: Type.Enum(['email', 'sms']),
  to: Type.String(),
  subject: Type.String(),
  text: Type.String(),
  html: Type.Union([Type.String(), Type.Null()]),
  status: Type.Enum([...messageStatuses]),
  createdAt: Instant,
});

export const overviewRoutes: Routes = [
  get('/console/v1/overview', {
    permission: 'overview:read',
    summary: 'Read the figures of the project',
    description: 'Counted from the event log, at most a second behind it.',
    query: OverviewQuery,
    responses: { 200: Overview },
    handler: ({ ctx, query }) => overviewOf(ctx, query.days),
  }),
];

/** The messages that the project sent, to read without receiving them. Registered in development mode only. */
export const inboxRoutes: Routes = [
  get('/console/v1/inbox', {
    permission: 'inbox:read',
    summary: 'List sent messages with their text',
    description: 'Newest first. Development mode only.',
    query: Type.Object({
      to: Type.Optional(Type.String({ minLength: 1, maxLength: 254, description: 'The exact recipient.' })),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
      cursor: Type.Optional(IdSchema('msg')),
    }),
    responses: {
      200: Type.Object({ items: Type.Array(InboxMessage), nextCursor: Type.Union([Type.String(), Type.Null()]) }),
    },
    handler: ({ ctx, query: { to, limit, cursor } }) =>
      listInbox(ctx.system, { to: to ?? null, limit, cursor: cursor ?? null, scope: ctx.scope }),
  }),
  get('/console/v1/inbox/:id', {
    permission: 'inbox:read',
    summary: 'Read a sent message with its text',
    params: Type.Object({ id: IdSchema('msg') }),
    responses: { 200: InboxMessage },
    problems: ['NOT_FOUND'],
    handler: ({ ctx, params }) => readInbox(ctx.system, params.id, ctx.scope),
  }),
];
