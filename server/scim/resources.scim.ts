import { Type } from 'typebox';
import type { Ctx } from '#platform/ctx.ts';
import type { App, Reply, Request } from '#platform/http.ts';
import { strictJson } from '#platform/http-body.ts';
import { del, get, patch, post, put, type Routes } from '#platform/route.ts';
import type { Method, Response } from './bulk.ts';
import {
  bulk,
  type Call,
  changeResource,
  described,
  describedOne,
  listResources,
  type Query,
  readResource,
  searchAll,
  searchIn,
} from './calls.ts';
import { SCIM_PATH } from './directory.ts';
import { serviceProviderConfig } from './discovery.ts';
import { errorOf } from './errors.ts';
import type { Attributes } from './resource.ts';
import type { ResourceKind } from './schemas.ts';
import { ScimError } from './scim-error.ts';
import { findScimToken } from './tokens.ts';

const MEDIA_TYPE = 'application/scim+json';

const Ref = Type.Object({ id: Type.String({ maxLength: 200 }) });
const Selection = {
  attributes: Type.Optional(Type.String({ maxLength: 4_000 })),
  excludedAttributes: Type.Optional(Type.String({ maxLength: 4_000 })),
};
const Search = Type.Object(
  {
    filter: Type.Optional(Type.String({ maxLength: 4_000 })),
    sortBy: Type.Optional(Type.String({ maxLength: 200 })),
    sortOrder: Type.Optional(Type.String({ maxLength: 20 })),
    startIndex: Type.Optional(Type.Integer()),
    count: Type.Optional(Type.Integer()),
    ...Selection,
  },
  { additionalProperties: true },
);
const Selected = Type.Object(Selection, { additionalProperties: true });

/** SCIM clients send and expect `application/scim+json`; many send `application/json`. */
async function asScim(scope: App): Promise<void> {
  scope.addContentTypeParser(MEDIA_TYPE, { parseAs: 'buffer' }, strictJson(scope));
}

/** A route of directories: anyone may call it, and its token says for which organization. */
const scim = { permission: 'public', counted: 'client', plugin: asScim } as const;

const KINDS = [
  ['/Users', 'User'],
  ['/Groups', 'Group'],
] as const;

/** SCIM 2.0 (RFC 7643, RFC 7644). It describes itself by its own schemas, so it is not in the OpenAPI description. */
export const scimRoutes: Routes = [
  get(`${SCIM_PATH}/ServiceProviderConfig`, {
    ...scim,
    handler: describing((address) => serviceProviderConfig(address)),
  }),
  ...(['Schemas', 'ResourceTypes'] as const).flatMap((what) => [
    get(`${SCIM_PATH}/${what}`, { ...scim, handler: describing((address) => described(address, what)) }),
    get(`${SCIM_PATH}/${what}/:id`, {
      ...scim,
      params: Ref,
      handler: (request, reply) =>
        describing((address) => describedOne(address, what, request.params.id))(request, reply),
    }),
  ]),
  ...KINDS.flatMap(([path, kind]) => routesOf(SCIM_PATH + path, kind)),
  post(`${SCIM_PATH}/Bulk`, {
    ...scim,
    silent: 'each operation emits its own events',
    handler: (request, reply) =>
      answering(request, reply, async (call) => ({ ...PLAIN, body: await bulk(call, request.body) })),
  }),
  get(`${SCIM_PATH}/Me`, {
    ...scim,
    handler: (request, reply) =>
      answering(request, reply, () =>
        Promise.reject(new ScimError(501, 'A token stands for a directory, not a user.')),
      ),
  }),
  post(`${SCIM_PATH}/.search`, {
    ...scim,
    silent: 'it only reads',
    handler: (request, reply) =>
      answering(request, reply, async (call) => ({
        ...PLAIN,
        body: await searchAll({ ...call, query: searchIn(request.body) }),
      })),
  }),
  get(`${SCIM_PATH}/*`, {
    ...scim,
    handler: (request, reply) =>
      answering(request, reply, () => Promise.reject(new ScimError(404, `There is no ${request.url} here.`))),
  }),
];

const PLAIN = { status: 200, location: null, version: null } as const;

function routesOf(path: string, kind: ResourceKind): Routes {
  const one = `${path}/:id`;
  const changing = (method: Method, request: Request, reply: Reply, id: string | null) =>
    answering(request, reply, (call) =>
      changeResource(call, { kind, method, id, body: request.body, version: knownVersion(request) }),
    );
  return [
    get(path, {
      ...scim,
      query: Search,
      handler: (request, reply) =>
        answering(request, reply, async (call) => ({ ...PLAIN, body: await listResources(call, kind) })),
    }),
    post(`${path}/.search`, {
      ...scim,
      silent: 'it only reads',
      handler: (request, reply) =>
        answering(request, reply, async (call) => ({
          ...PLAIN,
          body: await listResources({ ...call, query: searchIn(request.body) }, kind),
        })),
    }),
    post(path, { ...scim, query: Selected, handler: (request, reply) => changing('POST', request, reply, null) }),
    get(one, {
      ...scim,
      params: Ref,
      query: Selected,
      handler: (request, reply) => answering(request, reply, (call) => readResource(call, kind, request.params.id)),
    }),
    put(one, {
      ...scim,
      params: Ref,
      query: Selected,
      handler: (request, reply) => changing('PUT', request, reply, request.params.id),
    }),
    patch(one, {
      ...scim,
      params: Ref,
      query: Selected,
      handler: (request, reply) => changing('PATCH', request, reply, request.params.id),
    }),
    del(one, {
      ...scim,
      params: Ref,
      handler: (request, reply) => changing('DELETE', request, reply, request.params.id),
    }),
  ];
}

function describing(describe: (address: string) => Attributes) {
  return (request: Request, reply: Reply) =>
    answering(request, reply, async ({ directory }) => ({ ...PLAIN, body: describe(directory.address) }));
}

/** Performs a request of a directory, and sends the response or error in the format of SCIM. */
async function answering(request: Request, reply: Reply, perform: (call: Call) => Promise<Response>): Promise<Reply> {
  reply.header('cache-control', 'no-store');
  try {
    return send(request, reply, await perform(await callOf(request)));
  } catch (error) {
    const refused = errorOf(error);
    if (!refused) throw error;
    if (refused.status === 401) reply.header('www-authenticate', 'Bearer');
    return sendBody(reply.code(refused.status), refused.body);
  }
}

function send(request: Request, reply: Reply, { status, body, location, version }: Response): Reply {
  if (location !== null && status === 201) reply.header('location', location);
  if (version !== null) reply.header('etag', version);
  if (version !== null && request.method === 'GET' && request.headers['if-none-match'] === version)
    return reply.code(304).send();
  return body === null ? reply.code(status).send(null) : sendBody(reply.code(status), body);
}

function sendBody(reply: Reply, body: Attributes): Reply {
  return reply.type(MEDIA_TYPE).serializer(JSON.stringify).send(body);
}

/** @throws ScimError 401 for a token that is not valid at this address */
async function callOf({ server, headers, address, trace, query }: Request): Promise<Call> {
  const { system, host } = server;
  const [, token] = /^Bearer (\S+)$/i.exec(headers.authorization ?? '') ?? [];
  const found = token && host.environment && (await findScimToken(system, host.environment, token));
  const served = found && (!address.scope || address.scope.projectId === found.scope.projectId);
  if (!found || !served) throw new ScimError(401, 'Send the SCIM token of an organization as bearer.');
  const actor = { kind: 'system' as const, name: `scim ${found.id}` };
  const ctx: Ctx = { system, db: system.db, scope: found.scope, actor, trace, now: system.clock.now() };
  const directory = { organizationId: found.organizationId, tokenId: found.id, address: address.url + SCIM_PATH };
  return { ctx, directory, query: queryIn(query) };
}

function queryIn(query: unknown): Query {
  return typeof query === 'object' && query !== null ? { ...query } : {};
}

/**
 * The version in `If-Match`; null without a condition.
 * @throws ScimError 412 for a tag that this server does not make
 */
function knownVersion({ headers }: Request): number | null {
  const condition = headers['if-match'];
  if (condition === undefined || condition === '*') return null;
  const [, version] = /^(?:W\/)?"(\d+)"$/.exec(condition) ?? [];
  if (version === undefined) throw new ScimError(412, `There is no version ${condition}.`);
  return Number(version);
}
