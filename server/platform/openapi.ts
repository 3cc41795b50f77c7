import Fastify, { type FastifyInstance, type FastifySchema, type RouteOptions } from 'fastify';
import { type TProperties, Type } from 'typebox';
import type { App, Host } from './http.ts';
import { buildSerializer, validatorCompiler } from './http-body.ts';
import { exchangeOf } from './http-rules.ts';
import { counterOf } from './http-sources.ts';
import { withComponents } from './openapi-components.ts';
import {
  type ErrorCode,
  PROBLEM_RESPONSE,
  ProblemDetails,
  problemResponses,
  withProblem,
  withProblems,
} from './problem.ts';
import { get, type Route, type RoutePermission } from './route.ts';

/** Serves the OpenAPI description of a host's routes. */
export const openApiRoute = get('/openapi.json', {
  permission: 'public',
  handler: ({ server }) => server.describe(),
});

/** The reference that people read is part of the documentation, which the console host serves. */
export const referenceRoute = get('/reference', {
  permission: 'public',
  handler: ({ server }, reply) => reply.redirect(`${server.system.config.addresses.console}/docs/reference/`, 303),
});

const TITLES: Record<Host['kind'], string> = {
  auth: 'Latchkey auth host',
  api: 'Latchkey API host',
  console: 'Latchkey console host',
};

const SECURITY = {
  customers: {
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description: 'A customer session token or a management token from the auth host.',
    },
  },
  console: {
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: 'latchkey-console',
      description:
        'The session of an operator, started at `/console/v1/sign-in`. Changes also send `X-CSRF-Token` with the `csrfToken` of `/console/v1/session`; operations inside a workspace or project send `X-Workspace-Id`, `X-Project-Id` and `X-Environment`.',
    },
  },
} as const;

/** The tag of a route's group; the first matching prefix counts. */
const TAGS: readonly (readonly [prefix: string, tag: string])[] = [
  ['/v1/auth', 'Sign-up and sign-in'],
  ['/v1/sessions', 'Sessions'],
  ['/connect', 'OAuth and OpenID Connect'],
  ['/.well-known', 'OAuth and OpenID Connect'],
  ['/v1/me', 'Self'],
  ['/v1/admin/roles', 'Admin roles and permissions'],
  ['/v1/admin/permissions', 'Admin roles and permissions'],
  ['/v1/admin/members', 'Admin members'],
  ['/v1/admin/webhooks', 'Events and webhooks'],
  ['/v1/admin/events', 'Events and webhooks'],
  ['/v1/admin/log-streams', 'Events and webhooks'],
  ['/v1/admin/actions', 'Actions'],
  ['/v1/admin', 'Admin'],
  ['/console/v1', 'Console'],
  ['/api/status', 'Status'],
  ['/api/v2', 'Status'],
  ['/status/p', 'Status'],
  ['/dev', 'Development'],
];

/**
 * What Fastify needs of a route: what it checks, and how it writes responses.
 * @param reader the route that reads the record that this one changes
 */
export function schemaOf(route: Route, reader: Route | undefined): FastifySchema {
  const { params, query: querystring, body, headers, summary } = route;
  const response = serialized(route);
  const parts = present({ params, querystring, body, headers, response });
  if (summary === undefined) return { ...parts, hide: true };
  const exchange = exchangeOf(route, reader);
  const own: { properties?: TProperties } = Object(headers);
  if (Object.keys(exchange.headers).length === 0) return parts;
  return {
    ...parts,
    headers: Type.Object({ ...own.properties, ...exchange.headers }, { additionalProperties: true }),
  };
}

/**
 * The schemas that responses are written by: the route's own ones, and one for every problem. A status that is alone in its
 * class is named by the class: V8 gives an object with the key 503 room for all keys up to it, several kilobytes a route.
 */
function serialized({ responses = {}, summary }: Route): Record<string, unknown> | undefined {
  if (summary === undefined && Object.keys(responses).length === 0) return undefined;
  const classes = Map.groupBy(Object.entries(responses), ([status]) => status.charAt(0));
  const own = [...classes].flatMap(([first, group]) => {
    const [only, second] = group;
    if (only && !second && first < '4') return [[`${first}xx`, only[1]]];
    return first < '4' ? group : group.map(([status, described]) => [status, withProblem(described)]);
  });
  return { ...Object.fromEntries(own), ...(summary !== undefined && { default: PROBLEM_RESPONSE }) };
}

/** The description of a route on a host for OpenAPI. */
function described(host: Host, route: Route, reader: Route | undefined): Record<string, unknown> {
  const { responses: response, summary = '', description, consumes, produces, deprecated, permission, path } = route;
  const exchange = exchangeOf(route, reader);
  const limited: ErrorCode[] = counterOf(route) ? ['RATE_LIMIT_EXCEEDED'] : [];
  const codes = [...(route.problems ?? []), ...limited, ...exchange.problems, ...commonProblems(host, route)];
  return {
    ...present({ description, consumes, produces, deprecated: deprecated && true }),
    response: withProblems({ ...response, ...exchange.unchanged }, problemResponses(...codes)),
    summary,
    operationId: camelCase(summary),
    tags: [TAGS.find(([prefix]) => path.startsWith(prefix))?.[1] ?? 'General'],
    ...(permission !== 'public' && { security: securityOf(host, permission) }),
    // Lets a page announce that the operation requires a fresh sign-in.
    ...(host.kind === 'console' && route.stepUp && { 'x-step-up': true }),
  };
}

function present(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** An OpenAPI document. */
export type Description = { info?: object; paths?: object; components?: object };

/** Lets a host describe its routes as OpenAPI 3.1. */
export function addOpenApi(app: App, address: string): void {
  const routes: RouteOptions[] = [];
  let description: Promise<Description> | undefined;
  app.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD') routes.push(route);
  });
  app.decorate('describe', () => {
    description ??= describe(app.host, address, routes).catch((error: unknown) => {
      // The next request tries again.
      description = undefined;
      throw error;
    });
    return description;
  });
}

/** The description of some paths, with the components that they refer to. */
export function onlyPaths(description: Description, pattern: RegExp): Description {
  const paths = Object.fromEntries(Object.entries(description.paths ?? {}).filter(([path]) => pattern.test(path)));
  const named = new Set<string>();
  const follow = (part: unknown) => {
    for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      if (named.has(`${kind}/${name}`)) continue;
      named.add(`${kind}/${name}`);
      follow(Object(Object(description.components)[kind])[name]);
    }
  };
  follow(paths);
  const secured = JSON.stringify(paths).includes('"security":');
  const isUsed = (kind: string, name: string) => (kind === 'securitySchemes' ? secured : named.has(`${kind}/${name}`));
  const components = Object.entries<object>(Object(description.components)).map(([kind, all]) => [
    kind,
    Object.fromEntries(Object.entries(all).filter(([name]) => isUsed(kind, name))),
  ]);
  return { ...description, paths, components: Object.fromEntries(components) };
}

/** Describes routes at the first request for it, with the library that does so and is loaded for it. */
async function describe(host: Host, address: string, routes: readonly RouteOptions[]): Promise<Description> {
  const app = Fastify({ exposeHeadRoutes: false, schemaController: { compilersFactory: { buildSerializer } } });
  app.setValidatorCompiler(validatorCompiler);
  app.addSchema(ProblemDetails);
  await addSwagger(app, host, address);
  for (const { method, url, schema, config } of routes)
    app.route({ method, url, handler: () => null, ...(schema && { schema }), ...(config && { config }) });
  await app.ready();
  return app.swagger();
}

async function addSwagger(app: FastifyInstance, host: Host, address: string): Promise<void> {
  const { default: swagger } = await import('@fastify/swagger');
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: TITLES[host.kind],
        version: 'v1',
        description: 'Generated from the routes. Errors are RFC 9457 problem documents with `errorCode` and `traceId`.',
      },
      servers: [{ url: address, description: host.environment ?? 'console' }],
      components: {
        securitySchemes: SECURITY[host.kind === 'console' ? 'console' : 'customers'],
      },
    },
    // A field with a default is optional.
    transform: ({ schema, url, route: { config: { route, reader } = {} } }) => ({
      schema: {
        ...schema,
        ...(route?.summary !== undefined && described(host, route, reader)),
        querystring: withoutPatterns(withDefaultsOptional(schema.querystring)),
        body: withDefaultsOptional(schema.body),
      },
      url,
    }),
    transformObject: (document) =>
      'openapiObject' in document ? withComponents(withOptionalBodies(document.openapiObject)) : document.swaggerObject,
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) =>
        typeof json['$id'] === 'string' ? json['$id'] : `schema-${index}`,
    },
  });
}

/** OpenAPI cannot express that a query takes any parameter, so this removes the pattern. */
function withoutPatterns(schema: unknown): unknown {
  const { patternProperties, ...plain }: { patternProperties?: unknown } = Object(schema);
  return patternProperties === undefined ? schema : { ...plain, properties: {} };
}

/** A body whose fields are all optional is itself optional; its absence means an empty object. */
function withOptionalBodies<T extends { paths?: object }>(document: T): T {
  for (const operations of Object.values<unknown>(Object(document.paths)))
    for (const operation of Object.values(Object(operations))) {
      const { requestBody } = Object(operation);
      const schemas = Object.values(Object(requestBody?.content)).map((media) => Object(Object(media).schema));
      if (schemas.some(({ type, required }) => type === 'object' && !required?.length)) requestBody.required = false;
    }
  return document;
}

function withDefaultsOptional(schema: unknown): unknown {
  const { properties, required }: { properties?: Record<string, { default?: unknown }>; required?: string[] } =
    Object(schema);
  if (!properties || !required) return schema;
  return { ...Object(schema), required: required.filter((name) => properties[name]?.default === undefined) };
}

function securityOf(host: Host, permission: RoutePermission): Record<string, string[]>[] {
  const scheme = host.kind === 'console' ? 'session' : 'bearer';
  const required = { [scheme]: permission.includes(':') ? [permission] : [] };
  return permission === 'optional' ? [required, {}] : [required];
}

function commonProblems(host: Host, { permission, body }: Route): ErrorCode[] {
  const codes: ErrorCode[] = [
    'VALIDATION_FAILED',
    'MALFORMED_REQUEST',
    'INTERNAL_ERROR',
    'SERVICE_UNAVAILABLE',
    'UNKNOWN_HOST',
    'CONSOLE_HEADER_NOT_ALLOWED',
  ];
  if (body !== undefined) codes.push('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  if (permission !== 'public')
    codes.push('AUTHENTICATION_REQUIRED', 'SESSION_EXPIRED', 'SESSION_REVOKED', 'WRONG_TOKEN_KIND', 'MEMBER_BLOCKED');
  if (permission.includes(':')) codes.push('AUTHORIZATION_DENIED');
  // Where a cookie may authenticate the caller, or the route sets one, the Origin is checked.
  if (permission !== 'public' || 'cookies' in Object(Object(body).properties)) codes.push('ORIGIN_NOT_ALLOWED');
  if (permission !== 'public' && host.kind === 'console') codes.push('CSRF_TOKEN_INVALID');
  return codes;
}

function camelCase(summary: string): string {
  const words = summary.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join('');
}
