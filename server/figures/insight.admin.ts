import { get, type Routes } from '#platform/route.ts';
import { Insight, InsightQuery, insightOf } from './figures-by-key.ts';

export const insightRoutes: Routes = [
  get('/v1/admin/insight', {
    permission: 'events:read',
    summary: 'Read how people sign in, register and return',
    description: 'Counted from the event log, at most a second behind it.',
    query: InsightQuery,
    responses: { 200: Insight },
    handler: ({ ctx, query }) => insightOf(ctx, query.days),
  }),
];
