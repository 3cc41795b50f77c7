import { Type } from 'typebox';
import type { Environment } from '#platform/ctx.ts';
import type { Reply, Request } from '#platform/http.ts';
import { isKnownState } from '#platform/http-rules.ts';
import { problem } from '#platform/problem.ts';
import { get, type Routes } from '#platform/route.ts';
import type { System } from '#platform/system.ts';
import { installationPage, type StatusPage } from './pages.ts';
import { projectViewsOf } from './project-views.ts';
import { Summary, summarise } from './summary.ts';
import { type Maker, type Moment, viewsOf } from './views.ts';
import { isAdmitted } from './visitors.ts';

/** The query that names the environment on the console host, which has none. */
export const StatusQuery = Type.Object({
  environment: Type.Optional(
    Type.Enum(['test', 'production', 'prod'], {
      description: 'Only on the console host, which has no environment of its own; production when absent.',
    }),
  ),
});

const JSON_TYPE = 'application/json; charset=utf-8';
const summary: Maker = { key: 'summary', type: JSON_TYPE, make: (view) => JSON.stringify(summarise(view)) };

export const summaryRoutes: Routes = [
  get('/api/status/summary', {
    permission: 'public',
    summary: 'Read the status summary',
    description: 'Poll every 60 to 300 seconds, with If-None-Match.',
    responses: { 200: Summary, 304: Type.Null({ description: 'Unchanged since the given ETag.' }) },
    early: ({ system, host }) => {
      const views = viewsOf(system);
      return () => views.of(host.environment ?? 'production').responseTo(summary);
    },
    handler: (request, reply) => respond(request, reply, summary),
  }),
];

/** Sends a prepared response, or 304 if the client has it. */
export async function respond(request: Request, reply: Reply, maker: Maker): Promise<Reply> {
  const moment = await momentOf(request);
  const { body, etag, headers } = moment.responseTo(maker);
  if (moment.view.page.audience === 'members') return reply.headers(headers).send(body);
  reply.headers({ ...headers, etag });
  if (isKnownState(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.send(body);
}

/** The environment of the host, or of the query on a host without one. */
function environmentOf({ server, query }: Request): Environment {
  if (server.host.environment !== null) return server.host.environment;
  return typeof query === 'object' && query !== null && 'environment' in query && query.environment === 'test'
    ? 'test'
    : 'production';
}

/**
 * The page that a request is for: that of its address, or the installation's.
 * @throws Problem NOT_FOUND for an address without a published page, and for a page that the visitor may not see
 */
export async function pageFor(request: Request): Promise<StatusPage> {
  const page = await pageAsked(request);
  if (!page || !(await isAdmitted(request, page))) throw problem('NOT_FOUND');
  return page;
}

/** The page that a request is for, whether or not the visitor may see it. */
export async function pageAsked(request: Request): Promise<StatusPage | undefined> {
  const { params, server, address } = request;
  const pages = projectViewsOf(server.system);
  if (typeof params === 'object' && params !== null && 'slug' in params) return pages.find(String(params.slug));
  // On a host with an environment, the status is that of the installation, whichever project the host is of.
  if (server.host.environment === null && address.scope !== null) return pages.findAt(address);
  return installationPage(environmentOf(request));
}

/** What the page that a request is for shows now. */
export async function momentOf(request: Request): Promise<Moment> {
  return momentOn(request.server.system, await pageFor(request));
}

/** What a page shows now. */
export async function momentOn(system: System, page: StatusPage): Promise<Moment> {
  return page.slug === null ? viewsOf(system).of(page.environment) : projectViewsOf(system).of(page);
}
