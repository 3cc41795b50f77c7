import type { RouteHandlerMethod } from 'fastify';
import type { App } from './http.ts';
import { exchangeHooks } from './http-rules.ts';
import { counterOf } from './http-sources.ts';
import { schemaOf } from './openapi.ts';
import type { Route, Routes } from './route.ts';

/**
 * Serves routes on a host. Those with a plugin get a Fastify scope of their own, so that the plugin affects no other
 * route.
 */
export function mount(app: App, routes: Routes): void {
  const readers = new Map(routes.filter(({ etag }) => etag).map((route) => [route.path, route]));
  for (const [plugin, group] of Map.groupBy(routes, (route) => route.plugin)) {
    const addAll = (scope: App) => {
      for (const route of group) add(scope, route, readers);
    };
    if (!plugin) addAll(app);
    else app.register((scope) => Promise.resolve(plugin(scope)).then(() => addAll(scope)));
  }
}

const SAFE = ['GET', 'OPTIONS'];

/**
 * Repeats at run time what the types of the route functions require.
 * @throws Error for a change that does not declare its guard
 */
function requireGuarded({ method, path, permission, counted, stepUp }: Route): void {
  if (SAFE.includes(method)) return;
  const anonymous = permission === 'public' || permission === 'optional';
  const administrative = permission === 'operator' || permission.includes(':');
  if (anonymous && counted === undefined) throw new Error(`${method} ${path} does not declare its counter.`);
  if (administrative && stepUp === undefined) throw new Error(`${method} ${path} declares no stepUp.`);
}

/** Responds with the status of the one success that the route declares, unless the handler chooses another. */
function handlerOf(route: Route): RouteHandlerMethod {
  const [status = 200, ...others] = Object.keys(route.responses ?? {})
    .map(Number)
    .filter((code) => code >= 200 && code < 300);
  if (status === 200 || others.length > 0) return route.handler;
  if (status !== 204) return (request, reply) => route.handler(request, reply.code(status));
  return async (request, reply) => {
    await route.handler(request, reply.code(status));
    return reply.sent ? reply : null;
  };
}

function add(app: App, route: Route, readers: ReadonlyMap<string, Route>): void {
  const { method, path, changes, early, onRequest, attachValidation } = route;
  requireGuarded(route);
  const reader = readers.get(changes ?? path);
  if (changes !== undefined && !reader) throw new Error(`${path} changes ${changes}, which has no route with an etag.`);
  app.route({
    method,
    url: path,
    config: { route, ...(reader && { reader }) },
    schema: schemaOf(route, reader),
    handler: handlerOf(route),
    ...exchangeHooks(app, route, reader),
    ...(onRequest && { onRequest }),
    ...(attachValidation && { attachValidation }),
  });
  if (early && (method === 'GET' || method === 'POST'))
    app.earlyResponses.add(method, { path, respond: early(app), counter: counterOf(route) });
}
