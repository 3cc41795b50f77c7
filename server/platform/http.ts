import type { RequestListener } from 'node:http';
import cookie from '@fastify/cookie';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { HostKind } from './config.ts';
import type { Ctx, Environment, Scope, Trace } from './ctx.ts';
import { addBodyParsers, BODY_LIMIT, buildSerializer, validatorCompiler } from './http-body.ts';
import { EarlyResponses } from './http-early.ts';
import { addEdge, begin } from './http-edge.ts';
import { addErrorHandling } from './http-errors.ts';
import { respondMalformed } from './http-malformed.ts';
import { Methods } from './http-methods.ts';
import { mount } from './http-mount.ts';
import { addExchangeRules } from './http-rules.ts';
import { addSourceLimits } from './http-sources.ts';
import type { OrganizationId } from './ids.ts';
import { addOpenApi, type Description, openApiRoute, referenceRoute } from './openapi.ts';
import { ProblemDetails } from './problem.ts';
import type { Route } from './route.ts';
import { trustsSource } from './source.ts';
import type { System } from './system.ts';
import type { Place } from './trace.ts';

declare module 'fastify' {
  interface FastifyRequest {
    trace: Trace;
    /** The place of the request in its trace. */
    place: Place;
    /** Set on routes that need a token; a public route creates its own once it knows the scope. */
    ctx: Ctx;
    /** The address that the request was sent to. */
    address: Address;
    /** The matched route. Undefined if no route matches, and on the reference pages. */
    route: Route | undefined;
  }
  interface FastifyInstance {
    system: System;
    host: Host;
    earlyResponses: EarlyResponses;
    /** The OpenAPI description of the routes. */
    describe: () => Promise<Description>;
    /** Aborted when the host stops, so that long polls end. */
    closing: AbortSignal;
  }
  interface FastifyContextConfig {
    /** The matched route. Undefined if no route matches, and on the reference pages. */
    route?: Route;
    /** The route that reads the record that this route returns. */
    reader?: Route;
  }
}

export type App = FastifyInstance;

/** A request and its response, for domain functions near the edge. */
export type Request = FastifyRequest;
export type Reply = FastifyReply;

/** One listener: a kind of host, of one environment (the console has none). */
export type Host = { kind: HostKind; environment: Environment | null };

/**
 * A public address. It serves the project of `scope`, or every project of the environment if `scope` is null. An address
 * of an organization signs people in for that organization only.
 */
export type Address = { url: string; scope: Scope | null; organizationId: OrganizationId | null };

/** Decides on each request before the host does, and passes it on to the handler or to another one. */
export type Dispatch = (handler: RequestListener) => RequestListener;

/** Finds the address of a host name that is not one of the listener's own. */
export type FindAddress = (hostname: string) => Address | undefined | Promise<Address | undefined>;

/** The public address of a host. */
export function addressOf(system: System, host: Host): string {
  const { addresses } = system.config;
  if (host.kind === 'console' || host.environment === null) return addresses.console;
  return addresses[host.environment][host.kind];
}

/**
 * Creates the HTTP server of one host; routes are registered on it afterwards.
 * @param find knows the other host names it serves
 */
export async function createHost(
  system: System,
  host: Host,
  find: FindAddress = () => undefined,
  dispatch: Dispatch = (handler) => handler,
): Promise<App> {
  const loggerInstance: FastifyBaseLogger = system.log.child({ host: host.kind, environment: host.environment });
  const own: Address = { url: addressOf(system, host), scope: null, organizationId: null };
  const hostNames = new Set(hostNamesOf(own.url));
  const apiAddress = system.config.addresses[host.environment ?? 'production'].api;
  // The console host also serves the status page, which may have a host name of its own.
  if (host.kind === 'console') for (const name of hostNamesOf(system.config.addresses.status)) hostNames.add(name);
  const earlyResponses = new EarlyResponses(system, host, hostNames);
  const app: App = Fastify({
    serverFactory: (handler) => earlyResponses.server(dispatch(handler)),
    loggerInstance,
    // Log lines are correlated by trace, so requests need no child logger.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: system.config.trustedProxies.length > 0 ? trustsSource(system.config.trustedProxies) : false,
    clientErrorHandler: respondMalformed(apiAddress),
    bodyLimit: BODY_LIMIT,
    schemaController: { compilersFactory: { buildSerializer } },
    forceCloseConnections: 'idle',
    // Requests that arrive on open connections meanwhile are served.
    return503OnClosing: false,
    // A slow start on a busy machine is not a fault.
    pluginTimeout: 60_000,
    routerOptions: { maxParamLength: 200 },
    // An unreadable path is a client error and gets a problem document.
    frameworkErrors: (error, request, reply) => {
      begin(request, reply);
      return app.errorHandler(error, request, reply);
    },
  });
  app.server.headersTimeout = 30_000;
  app.setValidatorCompiler(validatorCompiler);
  app.addSchema(ProblemDetails);
  addBodyParsers(app);
  addErrorHandling(app, { apiAddress, surfaces: surfacesElsewhere(system, host), methods: new Methods(app) });
  app.decorate('system', system);
  app.decorate('host', host);
  app.decorate('earlyResponses', earlyResponses);
  app.decorate('closing', closingOf(app));
  decorate(app);
  addEdge(app, { system, host, own, hostNames, find });
  await app.register(cookie);
  addSourceLimits(app);
  addExchangeRules(app);
  addOpenApi(app, own.url);
  mount(app, [openApiRoute, referenceRoute]);
  return app;
}

function closingOf(app: App): AbortSignal {
  const closing = new AbortController();
  app.addHook('preClose', async () => {
    app.earlyResponses.close();
    closing.abort();
  });
  return closing.signal;
}

function decorate(app: App): void {
  app.decorateRequest('trace');
  app.decorateRequest('place');
  app.decorateRequest('ctx');
  app.decorateRequest('address');
  app.decorateRequest('route');
  // A route that bypasses `mount` would have no access control.
  app.addHook('onRoute', ({ config, method, url }) => {
    if (!config?.route) throw new Error(`${String(method)} ${url} is not mounted.`);
  });
}

/** All loopback names are equivalent. */
function hostNamesOf(address: string): ReadonlySet<string> {
  const { host, hostname, port } = new URL(address);
  const loopback = ['localhost', '127.0.0.1', '[::1]'];
  const suffix = port ? `:${port}` : '';
  return new Set(loopback.includes(hostname) ? loopback.map((name) => name + suffix) : [host]);
}

/** The hosts that serve the path families of the other kinds. */
function surfacesElsewhere(system: System, host: Host) {
  const environment = host.environment ?? 'production';
  const auth = { host: 'auth host', address: system.config.addresses[environment].auth };
  const api = { host: 'API host', address: system.config.addresses[environment].api };
  const surfaces = [
    ...['/v1/auth', '/v1/sessions', '/connect', '/.well-known'].map((prefix) => ({ prefix, ...auth, kind: 'auth' })),
    ...['/v1/me', '/v1/admin'].map((prefix) => ({ prefix, ...api, kind: 'api' })),
    ...['/dev', '/status'].map((prefix) => ({
      prefix,
      host: 'console host',
      address: system.config.addresses.console,
      kind: 'console',
    })),
  ];
  return surfaces.filter((surface) => surface.kind !== host.kind);
}
