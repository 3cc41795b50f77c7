import type { IncomingMessage } from 'node:http';
import { boundAddresses } from '#domains';
import { type Address, type App, createHost, type Dispatch } from '#platform/http.ts';
import { mount } from '#platform/http-mount.ts';
import { trustsSource } from '#platform/source.ts';
import type { System } from '#platform/system.ts';
import { served } from './routes.ts';

const ROUTES = new Set(served.statusDomain);

/** The domains of status pages. Each serves the page of its project, and nothing else. It has no port of its own. */
export async function createStatusDomains(system: System): Promise<App> {
  const app = await createHost(system, { kind: 'console', environment: null }, boundAddresses(system, 'status', null));
  app.addHook('onRequest', (request, reply, done) => {
    if (request.route && ROUTES.has(request.route)) done();
    else reply.callNotFound();
  });
  mount(app, served.statusDomain);
  await app.ready();
  return app;
}

/** Passes requests to the domains of status pages on to them. */
export function toStatusDomains(system: System, domains: App): Dispatch {
  const find = boundAddresses(system, 'status', null);
  const trusts = trustsSource(system.config.trustedProxies);
  const { addresses } = system.config;
  const own = [addresses.console, addresses.status].map((url) => new URL(url).hostname);
  return (handler) => (request, response) => {
    const host = hostNameOf(request, trusts(request.socket.remoteAddress));
    if (own.includes(host)) {
      handler(request, response);
      return;
    }
    const serve = (address: Address | undefined) => {
      if (address === undefined) handler(request, response);
      else domains.routing(request, response);
    };
    const found = find(host);
    if (!(found instanceof Promise)) serve(found);
    // Without the database nobody knows the host, and the handler refuses it.
    else found.then(serve, () => serve(undefined));
  };
}

/** The host name as Fastify has it: a trusted proxy may name another one. */
function hostNameOf({ headers }: IncomingMessage, trusted: boolean): string {
  const forwarded = trusted ? headers['x-forwarded-host'] : undefined;
  const named = String(forwarded ?? '')
    .split(',')
    .at(-1)
    ?.trim();
  return (named || (headers.host ?? '')).toLowerCase().replace(/\.?(:\d+)?$/, '');
}
