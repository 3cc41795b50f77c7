import type { IncomingMessage, ServerResponse } from 'node:http';
import cookie from '@fastify/cookie';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RawServerDefault,
} from 'fastify';
import type { HostKind } from './config.ts';
import type { Ctx, Environment, Scope, Trace } from './ctx.ts';
import { addBodyParsers, BODY_LIMIT, buildSerializer, validatorCompiler } from './http-body.ts';
import { addEdge, begin } from './http-edge.ts';
import { addErrorHandling } from './http-errors.ts';
import { answerMalformed } from './http-malformed.ts';
import { Methods } from './http-methods.ts';
import { ReadyAnswers } from './http-ready.ts';
import { addExchangeRules } from './http-rules.ts';
import { addSourceLimits } from './http-sources.ts';
import { addOpenApi, REFERENCE_PATH } from './openapi.ts';
import { ProblemDetails } from './problem.ts';
import { trustsSource } from './source.ts';
import type { System } from './system.ts';

/**
 * Who may call a route: anybody, anybody with a better answer for a signed-in customer (`optional`), a signed-in customer, a
 * signed-in operator of the console, or a holder of one permission.
 */
export type RoutePermission = 'public' | 'optional' | 'customer' | 'operator' | `${string}:${string}`;

/** Which proof of the person a change takes. */
export type FreshProof = 'second factor' | 'any factor';

declare module 'fastify' {
  interface FastifyRequest {
    trace: Trace;
    /** Set for routes that need a token; a public route makes its own once it knows the scope. */
    ctx: Ctx;
    /** The address the request came to. */
    address: Address;
  }
  interface FastifyInstance {
    system: System;
    host: Host;
    readyAnswers: ReadyAnswers;
  }
  interface FastifyContextConfig {
    permission?: RoutePermission;
    /**
     * On the console: who somebody is has to be proven in the last ten minutes, as it changes who may do what, or hands out, takes away
     * or opens more than its caller can put back (ASVS 7.5.3). Every change of an administrator declares it, one way or the other.
     */
    stepUp?: boolean;
    /**
     * Only for a customer who proved within ten minutes who they are: with a second factor where they have one, or with any
     * factor. Account pages send who did not to the sign-in; other routes answer REAUTHENTICATION_REQUIRED.
     */
    freshProof?: FreshProof;
    /** Access tokens of the OpenID provider are good here too. */
    takesOidcTokens?: boolean;
    /** On the console: the permission is about the workspace, so no project has to be named. */
    level?: 'workspace';
    /** On the console: also while the workspace is to be deleted. */
    whenClosed?: true;
    /** On the console: workspace, project and environment stand in the query, as a frame can send no headers; or may, as a link can't. */
    scopeIn?: 'query' | 'link';
    /** The body may be large and is read while it comes; it may take as long as it goes on coming. */
    streams?: boolean;
  }
}

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** A request as domain functions near the edge see it, and its answer. */
export type Request = FastifyRequest;
export type Reply = FastifyReply;

/** The routes of one noun on one surface. */
export type Routes = (app: App) => void;

/** One listener: a kind of host, of one environment (the console has none). */
export type Host = { kind: HostKind; environment: Environment | null };

/** A public address, and the one project it serves; null: any of the environment. */
export type Address = { url: string; scope: Scope | null };

/** Finds the address of a host name that is not the listener's own. */
export type FindAddress = (hostname: string) => Address | undefined | Promise<Address | undefined>;

/** The public address of a host. */
export function addressOf(system: System, host: Host): string {
  const { addresses } = system.config;
  if (host.kind === 'console' || host.environment === null) return addresses.console;
  return addresses[host.environment][host.kind];
}

/** Makes the HTTP server of one host; its routes are registered on it afterwards. @param find knows other names it answers to */
export async function createHost(system: System, host: Host, find: FindAddress = () => undefined): Promise<App> {
  const loggerInstance: FastifyBaseLogger = system.log.child({ host: host.kind, environment: host.environment });
  const own: Address = { url: addressOf(system, host), scope: null };
  const hostNames = new Set(hostNamesOf(own.url));
  const apiAddress = system.config.addresses[host.environment ?? 'production'].api;
  // The status page is shown on the console host, under a name of its own where it has one.
  if (host.kind === 'console') for (const name of hostNamesOf(system.config.addresses.status)) hostNames.add(name);
  const readyAnswers = new ReadyAnswers(system, host, hostNames);
  const app: App = Fastify({
    serverFactory: (handler) => readyAnswers.server(handler),
    loggerInstance,
    // Requests are told apart by their trace, so they need no logger of their own.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: system.config.trustedProxies.length > 0 ? trustsSource(system.config.trustedProxies) : false,
    clientErrorHandler: answerMalformed(apiAddress),
    bodyLimit: BODY_LIMIT,
    schemaController: { compilersFactory: { buildSerializer } },
    forceCloseConnections: 'idle',
    // A start on a busy machine is slow, not broken.
    pluginTimeout: 60_000,
    routerOptions: { maxParamLength: 200 },
    // An unreadable path is the client's fault: answered like any other.
    frameworkErrors: (error, request, reply) => {
      begin(request, reply);
      return app.errorHandler(error, request, reply);
    },
  }).withTypeProvider<TypeBoxTypeProvider>();
  app.server.headersTimeout = 30_000;
  app.setValidatorCompiler(validatorCompiler);
  app.addSchema(ProblemDetails);
  addBodyParsers(app);
  addErrorHandling(app, { apiAddress, surfaces: surfacesElsewhere(system, host), methods: new Methods(app) });
  app.decorate('system', system);
  app.decorate('host', host);
  app.decorate('readyAnswers', readyAnswers);
  decorate(app);
  addEdge(app, { system, host, own, hostNames, find });
  await app.register(cookie);
  addSourceLimits(app);
  addExchangeRules(app);
  await addOpenApi(app, host, own.url);
  return app;
}

function decorate(app: App): void {
  app.decorateRequest('trace');
  app.decorateRequest('ctx');
  app.decorateRequest('address');
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith(REFERENCE_PATH)) route.config = { ...route.config, permission: 'public' };
    if (!route.config?.permission)
      throw new Error(`${String(route.method)} ${route.url} declares no permission; every route says who may call it.`);
    if (isAdministrative(route.config.permission) && !isSafe(route.method) && route.config.stepUp === undefined)
      throw new Error(
        `${String(route.method)} ${route.url} declares no stepUp; every change says whether it needs a fresh proof.`,
      );
  });
}

/** Routes that ask for a permission of their own, or for an operator. */
function isAdministrative(permission: RoutePermission): boolean {
  return permission.includes(':') || permission === 'operator';
}

/** Changes nothing (RFC 9110 §9.2.1). */
function isSafe(method: string | string[]): boolean {
  return [method].flat().every((one) => ['GET', 'HEAD', 'OPTIONS'].includes(one));
}

/** A loopback address answers to each of its names. */
function hostNamesOf(address: string): ReadonlySet<string> {
  const { host, hostname, port } = new URL(address);
  const loopback = ['localhost', '127.0.0.1', '[::1]'];
  const suffix = port ? `:${port}` : '';
  return new Set(loopback.includes(hostname) ? loopback.map((name) => name + suffix) : [host]);
}

/** Where paths of the other kind of host are served. */
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
