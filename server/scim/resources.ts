import { isDeepStrictEqual } from 'node:util';
import { type RawBuilder, sql } from 'kysely';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { Directory } from './directory.ts';
import { type Filter, placeOf, predicateOf, requiredText } from './filters.ts';
import { readPath } from './paths.ts';
import type { Attributes } from './resource.ts';
import type { ResourceKind, ResourceType } from './schemas.ts';
import { invalid, ScimError } from './scim-error.ts';

/** A stored user or group. */
export type Stored<Id extends string = string> = {
  id: Id;
  attributes: Attributes;
  version: number;
  createdAt: Date;
  updatedAt: Date;
};

/** A resource as clients see it. */
export type Resource = Attributes & { id: string; schemas: string[] };

/** The representation of a stored resource (RFC 7643 §3). */
export function representation(type: ResourceType, stored: Stored, { address }: Pick<Directory, 'address'>): Resource {
  const { id, attributes, version, createdAt, updatedAt } = stored;
  const extension = type.extension?.id;
  return {
    schemas: [type.schema.id, ...(extension !== undefined && extension in attributes ? [extension] : [])],
    id,
    ...attributes,
    ...membersOf(attributes, address),
    meta: {
      resourceType: type.kind,
      created: createdAt.toISOString(),
      lastModified: updatedAt.toISOString(),
      location: `${address}${type.endpoint}/${id}`,
      version: etagOf(version),
    },
  };
}

/** The members of a group, with their addresses. */
function membersOf({ members }: Attributes, address: string): Attributes {
  if (!Array.isArray(members)) return {};
  return { members: members.map(({ value }) => ({ value, $ref: `${address}/Users/${value}` })) };
}

export function etagOf(version: number): string {
  return `W/"${version}"`;
}

/** A list request (RFC 7644 §3.4.2). */
export type ListRequest = {
  filter: Filter | null;
  sortBy: string | null;
  descending: boolean;
  startIndex: number;
  count: number;
};

const MAX_COUNT = 200;

/** `count` and `startIndex` of a request; values out of range become the nearest ones in it. */
export function pageOf({ startIndex, count }: { startIndex?: number; count?: number }) {
  return { startIndex: Math.max(1, startIndex ?? 1), count: Math.min(MAX_COUNT, Math.max(0, count ?? MAX_COUNT)) };
}

const TABLES: Record<ResourceKind, { table: string; key: string; keyColumn: string }> = {
  User: { table: 'scim_users', key: 'userName', keyColumn: 'user_name' },
  Group: { table: 'scim_groups', key: 'displayName', keyColumn: 'name' },
};

/**
 * Finds resources of an organization. A filter for one name or external id is served by their indexes; others read the
 * users or groups of the organization.
 * @returns the ids of the page in order, and the number of all matches
 * @throws ScimError invalidFilter, invalidPath
 */
export async function findResources(
  ctx: Ctx | TxCtx,
  type: ResourceType,
  { organizationId }: Pick<Directory, 'organizationId'>,
  request: ListRequest,
): Promise<{ ids: string[]; total: number }> {
  const { table } = TABLES[type.kind];
  const { workspaceId, projectId, environment } = ctx.scope;
  const found = sql`(
    select t.id, ${documentOf(ctx, type)} as document from ${sql.table(table)} t
    where t.workspace_id = ${workspaceId} and t.project_id = ${projectId} and t.environment = ${environment}
      and t.organization_id = ${organizationId} ${indexed(type, request.filter)}) as found
    where ${conditionOf(type, request.filter)}`;
  const { rows: counted } = await sql<{ total: number }>`select count(*) as total from ${found}`.execute(ctx.db);
  const total = counted[0]?.total ?? 0;
  if (request.count === 0 || request.startIndex > total) return { ids: [], total };
  const { rows } = await sql<{ id: string }>`select id from ${found}
    order by ${orderOf(type, request)} limit ${request.count} offset ${request.startIndex - 1}`.execute(ctx.db);
  return { ids: rows.map(({ id }) => id), total };
}

const instant = (column: string) =>
  sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The document that filters and orders are about. */
function documentOf(ctx: Ctx | TxCtx, type: ResourceType): RawBuilder<unknown> {
  return sql`t.attributes || jsonb_build_object('id', t.id, 'meta', jsonb_build_object('resourceType', ${type.kind}::text,
    'created', ${instant('t.created_at')}, 'lastModified', ${instant('t.updated_at')}))${known(ctx, type)}`;
}

function known({ scope }: Ctx | TxCtx, { kind }: ResourceType): RawBuilder<unknown> {
  if (kind === 'User') return sql` || jsonb_build_object('active', t.active)`;
  return sql` || jsonb_build_object('members', (select coalesce(jsonb_agg(jsonb_build_object('value', m.scim_user_id)), '[]')
    from scim_group_members m where m.workspace_id = ${scope.workspaceId}
      and (m.project_id, m.environment, m.organization_id, m.group_id) = (t.project_id, t.environment, t.organization_id, t.id)))`;
}

function indexed(type: ResourceType, filter: Filter | null): RawBuilder<unknown> {
  if (!filter) return sql``;
  const { key, keyColumn } = TABLES[type.kind];
  const name = requiredText(filter, key);
  const externalId = requiredText(filter, 'externalId');
  return sql`${name === undefined ? sql`` : sql`and t.${sql.ref(keyColumn)} = ${name.toLowerCase()}`}
    ${externalId === undefined ? sql`` : sql`and t.external_id = ${externalId}`}`;
}

function conditionOf(type: ResourceType, filter: Filter | null): RawBuilder<unknown> {
  if (!filter) return sql`true`;
  return sql`jsonb_path_exists(document, ${`$ ? (${predicateOf(type, filter)})`}::jsonpath)`;
}

/** By id where values are equal or missing, so that pages do not overlap. */
function orderOf(type: ResourceType, { sortBy, descending }: ListRequest): RawBuilder<unknown> {
  if (sortBy === null) return sql`id`;
  const path = readPath(type, sortBy);
  if (!path.attribute) throw invalid('invalidPath', `"${sortBy}" names a schema, not an attribute.`);
  const place = `$${placeOf(path)}${path.attribute.multiValued && !path.sub ? '.value' : ''}`;
  const value = sql`lower(jsonb_path_query_first(document, ${place}::jsonpath) #>> '{}')`;
  return descending ? sql`${value} desc nulls last, id` : sql`${value} asc nulls last, id`;
}

/**
 * Leaves out what the client did not ask for (RFC 7644 §3.9). `schemas`, `id` and attributes that are always returned
 * stay.
 * @param names comma-separated
 * @throws ScimError invalidValue for both lists at once
 */
export function selected(
  type: ResourceType,
  resource: Resource,
  { attributes, excludedAttributes }: { attributes?: string | undefined; excludedAttributes?: string | undefined },
): Attributes {
  const wanted = pathsIn(type, attributes);
  const unwanted = pathsIn(type, excludedAttributes);
  if (wanted.length > 0 && unwanted.length > 0)
    throw invalid('invalidValue', 'Send either "attributes" or "excludedAttributes".');
  if (wanted.length > 0) return only(resource, [...wanted, ...alwaysReturned(type)]);
  return unwanted.length > 0 ? without(resource, unwanted, alwaysReturned(type)) : resource;
}

type Name = readonly string[];

function alwaysReturned({ attributes }: ResourceType): Name[] {
  return [['schemas'], ...attributes.flatMap(({ name, returned }) => (returned === 'always' ? [[name]] : []))];
}

/** Unknown names are ignored. */
function pathsIn(type: ResourceType, names = ''): Name[] {
  return names.split(',').flatMap((name) => {
    try {
      const { extension, attribute, sub } = readPath(type, name.trim());
      return [[extension?.id, attribute?.name, sub?.name].filter((part) => part !== undefined)];
    } catch (error) {
      if (error instanceof ScimError) return [];
      throw error;
    }
  });
}

function only(record: Attributes, wanted: readonly Name[]): Attributes {
  return Object.fromEntries(
    Object.entries(record).flatMap(([key, value]) => {
      const below = wanted.filter(([first]) => first === key).map((name) => name.slice(1));
      if (below.length === 0) return [];
      return [[key, below.some((name) => name.length === 0) ? value : inside(value, (each) => only(each, below))]];
    }),
  );
}

function without(record: Attributes, unwanted: readonly Name[], kept: readonly Name[] = []): Attributes {
  return Object.fromEntries(
    Object.entries(record).flatMap(([key, value]) => {
      const below = unwanted.filter(([first]) => first === key).map((name) => name.slice(1));
      if (below.length === 0 || kept.some(([first]) => first === key)) return [[key, value]];
      if (below.some((name) => name.length === 0)) return [];
      return [[key, inside(value, (each) => without(each, below))]];
    }),
  );
}

function inside(value: unknown, change: (record: Attributes) => Attributes): unknown {
  if (Array.isArray(value)) return value.map((each) => inside(each, change));
  return typeof value === 'object' && value !== null ? change({ ...value }) : value;
}

/** The names of the attributes that differ, sorted. */
export function changedAttributes(before: Attributes, after: Attributes): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
}
