import { Type } from 'typebox';
import { PageOf, PageQuery } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';
import { get, post, type Route, type Routes } from '#platform/route.ts';
import type { System } from '#platform/system.ts';
import { badge } from './badge.ts';
import { HeartbeatRef, takeHeartbeat } from './components.ts';
import { feedMaker, feedNames, feedType } from './feeds.ts';
import { Incident, incidentRecord, positionOf, type StoredIncident } from './incident-records.ts';
import { statuspageMaker, statuspagePaths } from './statuspage.ts';
import { momentOf, respond, StatusQuery } from './summary.public.ts';
import { namesOf, standardVoice } from './view.ts';
import { cachingOf, type Maker } from './views.ts';

const Query = Type.Interface([PageQuery, StatusQuery], {});

/** A document in a format that others specify. */
function document(path: string, summary: string, maker: (system: System) => Maker, mediaType: string): Route {
  const schema = mediaType.endsWith('json') ? Type.Object({}, { additionalProperties: true }) : Type.String();
  return get(path, {
    permission: 'public',
    summary,
    query: StatusQuery,
    responses: {
      200: { description: 'The document.', content: { [mediaType]: { schema } } },
      304: Type.Null({ description: 'Unchanged since the given ETag.' }),
    },
    handler: (request, reply) => respond(request, reply, maker(request.server.system)),
  });
}

/** The position of an incident, so that the next page is right also when that incident is no longer listed. */
function cursorAfter(incident: StoredIncident): string {
  return Buffer.from(positionOf(incident)).toString('base64url');
}

/** @throws Problem INVALID_CURSOR */
function openCursor(cursor: string): string {
  const position = Buffer.from(cursor, 'base64url').toString();
  if (!/^[\d-]{10}T[\d:.]{12}Z inc_[0-9a-z]{26}$/.test(position)) throw problem('INVALID_CURSOR');
  return position;
}

function olderThan(position: string, incidents: readonly StoredIncident[]): readonly StoredIncident[] {
  return incidents.filter((incident) => positionOf(incident) < position);
}

/** The history, as JSON and in the formats of feeds and Statuspage. */
export const historyRoutes: Routes = [
  get('/api/status/incidents', {
    permission: 'public',
    summary: 'List incidents, open and past',
    description: 'Newest first, up to the last hundred.',
    query: Query,
    responses: { 200: PageOf(Incident) },
    problems: ['INVALID_CURSOR'],
    handler: async (request, reply) => {
      const { view } = await momentOf(request);
      const { limit, cursor } = request.query;
      const older = cursor === undefined ? view.incidents : olderThan(openCursor(cursor), view.incidents);
      const page = older.slice(0, limit);
      const last = older.length > limit ? page.at(-1) : undefined;
      const voice = standardVoice(view);
      const nameOf = namesOf(view, voice);
      return reply.headers(cachingOf(view.page)).send({
        items: page.map((incident) => incidentRecord(incident, voice, nameOf)),
        nextCursor: last === undefined ? null : cursorAfter(last),
      });
    },
  }),
  ...feedNames.map((name) =>
    document(
      `/api/status/${name}`,
      `Read the incidents as a feed (${name})`,
      (system) => feedMaker(name, system),
      feedType(name),
    ),
  ),
  document('/api/status/badge.svg', 'Read the status badge', () => badge, 'image/svg+xml'),
  ...statuspagePaths.map((path) =>
    document(
      `/api/v2/${path}`,
      `Read the status in the format of Statuspage (${path})`,
      (system) => statuspageMaker(path, system),
      'application/json',
    ),
  ),
];

/** Components of all pages report here: the secret in the address names the component. */
export const heartbeatRoutes: Routes = [
  post('/api/status/heartbeats/:token', {
    permission: 'public',
    counted: { uncounted: 'it does nothing without a secret link or cookie, which one read checks' },
    summary: 'Report that a component is alive',
    params: HeartbeatRef,
    responses: { 204: Type.Null({ description: 'Heard.' }) },
    silent: 'a resulting change of the status writes one',
    problems: ['NOT_FOUND'],
    handler: (request) => takeHeartbeat(request.server.system, request.params.token),
  }),
];
