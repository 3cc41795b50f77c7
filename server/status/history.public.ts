import { Type } from 'typebox';
import type { Routes } from '#platform/http.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { problem, problemResponses } from '#platform/problem.ts';
import { badge } from './badge.ts';
import { HeartbeatRef, takeHeartbeat } from './components.ts';
import { feedMaker, feedNames } from './feeds.ts';
import { Incident, incidentRecord } from './incident-records.ts';
import { pageAddressOf } from './overall.ts';
import { type Addresses, statuspageMaker, statuspagePaths } from './statuspage.ts';
import { answer, environmentOf, StatusQuery } from './summary.public.ts';
import { namesOf } from './view.ts';
import { CACHE_CONTROL, type Maker, viewsOf } from './views.ts';
import { voiceIn } from './words.ts';

const Query = Type.Interface([PageQuery, StatusQuery], {});

/** The answer of a document whose form others have set: by its media type. */
function documentOf({ type }: Maker) {
  const [mediaType = ''] = type.split(';', 1);
  const schema = mediaType.endsWith('json') ? Type.Object({}, { additionalProperties: true }) : Type.String();
  return {
    200: { description: 'The document.', content: { [mediaType]: { schema } } },
    304: Type.Null({ description: 'Unchanged since the given ETag.' }),
  };
}

/** What was, and the same in the formats of others. */
export const statusHistoryRoutes: Routes = (app) => {
  const { system } = app;
  const addresses: Addresses = (view, path) => pageAddressOf(system, view.environment, path);
  const base = system.config.addresses.status;

  app.get(
    '/api/status/incidents',
    {
      config: { permission: 'public' },
      schema: {
        summary: 'List incidents, open and past',
        description: 'Newest first, up to the last hundred.',
        querystring: Query,
        response: { 200: PageOf(Incident), ...problemResponses('INVALID_CURSOR') },
      },
    },
    (request, reply) => {
      const view = viewsOf(system).of(environmentOf(request));
      const { limit, cursor } = request.query;
      const after = cursor === undefined ? -1 : view.incidents.findIndex(({ id }) => id === cursor);
      if (cursor !== undefined && after < 0) throw problem('INVALID_CURSOR');
      const page = view.incidents.slice(after + 1, after + 1 + limit);
      const more = view.incidents.length > after + 1 + limit;
      const nameOf = namesOf(view, voiceIn('en'));
      reply.header('cache-control', CACHE_CONTROL);
      reply.send({
        items: page.map((incident) => incidentRecord(incident, voiceIn('en'), nameOf)),
        nextCursor: more ? (page.at(-1)?.id ?? null) : null,
      });
    },
  );

  const ready = (path: string, maker: Maker, summary: string) =>
    app.get(
      path,
      { config: { permission: 'public' }, schema: { summary, querystring: StatusQuery, response: documentOf(maker) } },
      (request, reply) => {
        answer(request, reply, maker);
      },
    );
  for (const name of feedNames)
    ready(`/api/status/${name}`, feedMaker(name, addresses, base), `Subscribe to incidents (${name})`);
  ready('/api/status/badge.svg', badge, 'The status as a small picture');
  for (const path of statuspagePaths)
    ready(`/api/v2/${path}`, statuspageMaker(path, addresses), `The status as readers of Statuspage know it (${path})`);

  app.post(
    '/api/status/heartbeats/:token',
    {
      config: { permission: 'public' },
      schema: {
        summary: 'Report that a component is alive',
        params: HeartbeatRef,
        response: { 204: Type.Null({ description: 'Heard.' }), ...problemResponses('NOT_FOUND') },
      },
    },
    async (request, reply) => {
      await takeHeartbeat(system, request.params.token);
      return reply.code(204).send(null);
    },
  );
};
