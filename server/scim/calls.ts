import type { Ctx } from '#platform/ctx.ts';
import { type Method, performBulk, type Request, type Response } from './bulk.ts';
import type { Directory } from './directory.ts';
import { describedSchemas, describedTypes } from './discovery.ts';
import { errorOf } from './errors.ts';
import { readFilter } from './filters.ts';
import { changeGroup, createGroup, deleteGroup, getGroup, groupsById } from './groups.ts';
import { groupsOfUsers } from './memberships.ts';
import { patched, readOperations } from './patch.ts';
import { log } from './provisioning-log.ts';
import { type Attributes, isRecord, readAttributes, valueNamed } from './resource.ts';
import {
  etagOf,
  findResources,
  type ListRequest,
  pageOf,
  type Resource,
  representation,
  type Stored,
  selected,
} from './resources.ts';
import { type ResourceKind, resourceTypes } from './schemas.ts';
import { ScimError } from './scim-error.ts';
import { changeUser, createUser, deleteUser, getUser, isUserId, usersById } from './users.ts';

const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const BULK = 'urn:ietf:params:scim:api:messages:2.0:BulkResponse';

/** A request of a directory: its token and the parameters of its address. */
export type Call = { ctx: Ctx; directory: Directory; query: Query };
export type Query = {
  filter?: string;
  sortBy?: string;
  sortOrder?: string;
  startIndex?: number;
  count?: number;
  attributes?: string;
  excludedAttributes?: string;
};

type Store = {
  byIds: (ctx: Ctx, directory: Directory, ids: readonly string[]) => Promise<Stored[]>;
  get: (ctx: Ctx, directory: Directory, id: string) => Promise<Stored>;
  create: (ctx: Ctx, directory: Directory, attributes: Attributes) => Promise<Stored>;
  change: (
    ctx: Ctx,
    directory: Directory,
    which: { id: string; version: number | null; action: 'replace' | 'change' },
    change: (before: Attributes) => Attributes,
  ) => Promise<Stored>;
  remove: (ctx: Ctx, directory: Directory, which: { id: string; version: number | null }) => Promise<void>;
};

const stores: Record<ResourceKind, Store> = {
  User: { byIds: usersById, get: getUser, create: createUser, change: changeUser, remove: deleteUser },
  Group: { byIds: groupsById, get: getGroup, create: createGroup, change: changeGroup, remove: deleteGroup },
};

/** Lists resources (RFC 7644 §3.4.2). */
export async function listResources({ ctx, directory, query }: Call, kind: ResourceKind): Promise<Attributes> {
  const type = resourceTypes[kind];
  const page = pageOf(query);
  const request: ListRequest = {
    ...page,
    filter: query.filter === undefined ? null : readFilter(query.filter),
    sortBy: query.sortBy ?? null,
    descending: query.sortOrder?.toLowerCase() === 'descending',
  };
  const { ids, total } = await findResources(ctx, type, directory, request);
  const found = await stores[kind].byIds(ctx, directory, ids);
  const resources = await withGroups(
    ctx,
    directory,
    found.map((stored) => representation(type, stored, directory)),
  );
  return {
    schemas: [LIST],
    totalResults: total,
    startIndex: page.startIndex,
    itemsPerPage: resources.length,
    Resources: resources.map((resource) => selected(type, resource, query)),
  };
}

/** Lists resources of both kinds, the users before the groups (RFC 7644 §3.4.2.1). */
export async function searchAll({ query, ...call }: Call): Promise<Attributes> {
  const { startIndex, count } = pageOf(query);
  const users = await matching({ ...call, query: { ...query, startIndex, count } }, 'User');
  const total = Number(users['totalResults']);
  const shownUsers = resourcesIn(users);
  const rest = { startIndex: Math.max(1, startIndex - total), count: count - shownUsers.length };
  const groups = await matching({ ...call, query: { ...query, ...rest } }, 'Group');
  const resources = [...shownUsers, ...resourcesIn(groups)];
  return {
    schemas: [LIST],
    totalResults: total + Number(groups['totalResults']),
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}

function resourcesIn({ Resources: resources }: Attributes): unknown[] {
  return Array.isArray(resources) ? resources : [];
}

/** A filter about attributes that a kind does not have matches none of it. */
async function matching(call: Call, kind: ResourceKind): Promise<Attributes> {
  try {
    return await listResources(call, kind);
  } catch (error) {
    if (error instanceof ScimError && error.scimType === 'invalidFilter') return { totalResults: 0, Resources: [] };
    throw error;
  }
}

/** The parameters of a search by POST (RFC 7644 §3.4.3). */
export function searchIn(body: unknown): Query {
  const given = isRecord(body) ? body : {};
  const text = (name: string) => {
    const value = valueNamed(given, name);
    return Array.isArray(value) ? value.join(',') : typeof value === 'string' ? value : undefined;
  };
  const number = (name: string) => {
    const value = valueNamed(given, name);
    return typeof value === 'number' ? value : undefined;
  };
  return Object.fromEntries(
    Object.entries({
      filter: text('filter'),
      sortBy: text('sortBy'),
      sortOrder: text('sortOrder'),
      attributes: text('attributes'),
      excludedAttributes: text('excludedAttributes'),
      startIndex: number('startIndex'),
      count: number('count'),
    }).filter(([, value]) => value !== undefined),
  );
}

/** Adds the groups of users. One statement whatever their number. */
async function withGroups(ctx: Ctx, directory: Directory, resources: readonly Resource[]): Promise<Resource[]> {
  const groups = await groupsOfUsers(ctx, directory.organizationId, resources.map(({ id }) => id).filter(isUserId));
  return resources.map((resource) => {
    const own = isUserId(resource.id) ? groups.get(resource.id) : undefined;
    if (!own) return resource;
    return {
      ...resource,
      groups: own.map(({ id, name }) => ({ value: id, display: name, $ref: `${directory.address}/Groups/${id}` })),
    };
  });
}

async function shown({ ctx, directory, query }: Call, kind: ResourceKind, stored: Stored): Promise<Attributes> {
  const type = resourceTypes[kind];
  const [resource] = await withGroups(ctx, directory, [representation(type, stored, directory)]);
  return resource ? selected(type, resource, query) : {};
}

/** Reads one resource. @throws ScimError 404 */
export async function readResource(call: Call, kind: ResourceKind, id: string): Promise<Response> {
  const stored = await stores[kind].get(call.ctx, call.directory, id);
  return { ...placeOf(call, kind, stored), status: 200, body: await shown(call, kind, stored) };
}

function placeOf({ directory }: Call, kind: ResourceKind, { id, version }: Stored) {
  return { location: `${directory.address}${resourceTypes[kind].endpoint}/${id}`, version: etagOf(version) };
}

type Change = { kind: ResourceKind; method: Method; id: string | null; body: unknown; version: number | null };

const ACTIONS = { POST: 'create', PUT: 'replace', PATCH: 'change', DELETE: 'delete' } as const;

/**
 * Creates, replaces, changes or removes a resource. What is refused is logged with its reason.
 * @throws ScimError, Problem
 */
export async function changeResource(call: Call, change: Change): Promise<Response> {
  try {
    return await perform(call, change);
  } catch (error) {
    const refused = errorOf(error);
    if (!refused || refused.status >= 500) throw error;
    const { kind, method, id, body } = change;
    await log(call.ctx, call.directory, {
      action: ACTIONS[method],
      resourceType: kind,
      resourceId: id?.slice(0, 100) ?? null,
      name: nameIn(body),
      outcome: 'refused',
      detail: refused.message.slice(0, 500),
    });
    throw error;
  }
}

function nameIn(body: unknown): string | null {
  const name = isRecord(body) ? (valueNamed(body, 'userName') ?? valueNamed(body, 'displayName')) : undefined;
  return typeof name === 'string' ? name.slice(0, 200) : null;
}

async function perform(call: Call, { kind, method, id, body, version }: Change): Promise<Response> {
  const { ctx, directory } = call;
  const store = stores[kind];
  if (method === 'POST') {
    const stored = await store.create(ctx, directory, readWhole(kind, body));
    return { ...placeOf(call, kind, stored), status: 201, body: await shown(call, kind, stored) };
  }
  if (id === null) throw new ScimError(405, `${method} needs the id of a resource.`);
  if (method === 'DELETE') {
    await store.remove(ctx, directory, { id, version });
    return { status: 204, body: null, location: null, version: null };
  }
  const which = { id, version, action: ACTIONS[method] };
  const stored = await store.change(ctx, directory, which, changeFor(kind, method, body));
  return { ...placeOf(call, kind, stored), status: 200, body: await shown(call, kind, stored) };
}

/** The attributes of a whole resource; a user is active unless it says otherwise. */
function readWhole(kind: ResourceKind, body: unknown): Attributes {
  const attributes = readAttributes(resourceTypes[kind], body);
  return kind === 'User' ? { active: true, ...attributes } : attributes;
}

function changeFor(kind: ResourceKind, method: 'PUT' | 'PATCH', body: unknown): (before: Attributes) => Attributes {
  const type = resourceTypes[kind];
  if (method === 'PUT') {
    const attributes = readWhole(kind, body);
    return () => attributes;
  }
  const operations = readOperations(body);
  return (before) => patched(type, before, operations);
}

const BULK_PATH = /^\/(Users|Groups)(?:\/([^/?#]+))?$/i;

/** Performs a bulk request. @throws ScimError invalidSyntax, tooMany */
export async function bulk(call: Call, body: unknown): Promise<Attributes> {
  const operations = await performBulk(body, async ({ method, path, body: data, version }: Request) => {
    try {
      const [, endpoint, id] = BULK_PATH.exec(path) ?? [];
      if (endpoint === undefined) throw new ScimError(404, `There is no ${path} here.`);
      const kind = endpoint.toLowerCase() === 'users' ? 'User' : 'Group';
      return await changeResource(call, { kind, method, id: id ?? null, body: data, version });
    } catch (error) {
      const refused = errorOf(error);
      if (!refused) throw error;
      return { status: refused.status, body: refused.body, location: null, version: null };
    }
  });
  return { schemas: [BULK], Operations: operations };
}

/** The documents that describe this server, which are the same for every directory. */
export function described(address: string, what: 'Schemas' | 'ResourceTypes'): Attributes {
  const resources = what === 'Schemas' ? describedSchemas(address) : describedTypes(address);
  return {
    schemas: [LIST],
    totalResults: resources.length,
    startIndex: 1,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}

/** @throws ScimError 404 */
export function describedOne(address: string, what: 'Schemas' | 'ResourceTypes', id: string): Attributes {
  const resources = what === 'Schemas' ? describedSchemas(address) : describedTypes(address);
  const found = resources.find((resource) => String(resource['id']).toLowerCase() === id.toLowerCase());
  if (!found) throw new ScimError(404, `There is no ${id} here.`);
  return found;
}
