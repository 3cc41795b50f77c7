import { Type } from 'typebox';
import { Member, searchMembers } from '#members';
import { listInbox, messageStatuses, readInbox } from '#messages';
import type { Routes } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import { problemResponses } from '#platform/problem.ts';
import { listProjects, Project } from '#tenancy';
import { Overview, OverviewQuery, overviewOf } from './figures.ts';

/** Results of each kind. */
const MAX_FOUND = 8;

const Found = Type.Object({
  projects: Type.Array(Type.Object({ id: Project.properties.id, name: Project.properties.name })),
  members: Type.Array(
    Type.Object({
      id: Member.properties.id,
      email: Member.properties.email,
      displayName: Member.properties.displayName,
    }),
  ),
});

const InboxMessage = Type.Object({
  id: IdSchema('msg'),
  channel: Type.Enum(['email', 'sms']),
  to: Type.String(),
  subject: Type.String(),
  text: Type.String(),
  html: Type.Union([Type.String(), Type.Null()]),
  status: Type.Enum([...messageStatuses]),
  createdAt: Type.String({ format: 'date-time' }),
});

export const overviewRoutes: Routes = (app) => {
  app.get(
    '/console/v1/overview',
    {
      config: { permission: 'overview:read' },
      schema: {
        summary: 'Read the figures of the project',
        description: 'Counted from the event log, a second behind it at most.',
        querystring: OverviewQuery,
        response: { 200: Overview },
      },
    },
    ({ ctx, query }) => overviewOf(ctx, query.days),
  );

  app.get(
    '/console/v1/search',
    {
      config: { permission: 'projects:read' },
      schema: {
        summary: 'Search projects and members',
        description: `Up to ${MAX_FOUND} of each; members of the project, for those who may see them.`,
        querystring: Type.Object({ q: Type.String({ minLength: 1, maxLength: 100 }) }),
        response: { 200: Found },
      },
    },
    async ({ ctx, query: { q } }) => {
      const mayLook = ctx.actor.kind === 'operator' && ctx.actor.permissions.includes('members:read');
      const [projects, members] = await Promise.all([
        listProjects(ctx, { limit: MAX_FOUND, q }),
        mayLook ? searchMembers(ctx, { limit: MAX_FOUND, q }) : { items: [] },
      ]);
      return {
        projects: projects.items.flatMap(({ id, name, deletesAt }) => (deletesAt === null ? [{ id, name }] : [])),
        members: members.items.map(({ id, email, displayName }) => ({ id, email, displayName })),
      };
    },
  );
};

/** What the project sent, to read it instead of receiving it. Registered in development mode only. */
export const inboxRoutes: Routes = (app) => {
  app.get(
    '/console/v1/inbox',
    {
      config: { permission: 'inbox:read' },
      schema: {
        summary: 'List sent messages with their text',
        description: 'Newest first. Development mode only.',
        querystring: Type.Object({
          to: Type.Optional(Type.String({ minLength: 1, maxLength: 254, description: 'Recipient, exact.' })),
          limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
          cursor: Type.Optional(IdSchema('msg')),
        }),
        response: {
          200: Type.Object({ items: Type.Array(InboxMessage), nextCursor: Type.Union([Type.String(), Type.Null()]) }),
        },
      },
    },
    ({ ctx, query: { to, limit, cursor } }) =>
      listInbox(ctx.system, { to: to ?? null, limit, cursor: cursor ?? null, scope: ctx.scope }),
  );

  app.get(
    '/console/v1/inbox/:id',
    {
      config: { permission: 'inbox:read' },
      schema: {
        summary: 'Read a sent message with its text',
        params: Type.Object({ id: IdSchema('msg') }),
        response: { 200: InboxMessage, ...problemResponses('NOT_FOUND') },
      },
    },
    ({ ctx, params }) => readInbox(ctx.system, params.id, ctx.scope),
  );
};
