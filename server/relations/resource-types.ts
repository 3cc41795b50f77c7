import type { Selectable } from 'kysely';
import { type Static, Type } from 'typebox';
import { lockEnvironment } from '#environments';
import { emit } from '#events';
import { requireAuthority } from '#members';
import { PermissionKey, requireOwnPermissions } from '#permissions';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import { isUniqueViolation, type Json } from '#platform/db.ts';
import type { ProjectId, WorkspaceId } from '#platform/ids.ts';
import { type Page, type PageQuery, pageOfWhole } from '#platform/page.ts';
import { found, problem } from '#platform/problem.ts';
import { Instant } from '#platform/schemas.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import { RelationKey, TypeKey } from './references.ts';
import { refuseOrphans, requireUnused } from './relations-of-types.ts';
import { checkType } from './type-rules.ts';

type ResourceTypesTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  key: string;
  name: string;
  description: string;
  relations: string[];
  parents: Json<Parent[]>;
  created_at: Date;
  updated_at: Date;
};

type ResourceTypePermissionsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  resource_type: string;
  relation: string;
  permission: string;
};

declare module '#platform/db.ts' {
  interface Tables {
    resource_types: ResourceTypesTable;
    resource_type_permissions: ResourceTypePermissionsTable;
  }
}

const MAX_TYPES = 50;

const Relation = Type.Object(
  {
    key: RelationKey,
    permissions: Type.Array(PermissionKey, {
      maxItems: 100,
      uniqueItems: true,
      description: 'What the relation gives on a resource: permissions that the project has added.',
    }),
  },
  { additionalProperties: false },
);

const Parent = Type.Object(
  {
    type: TypeKey,
    inherits: Type.Record(RelationKey, RelationKey, {
      maxProperties: 20,
      description:
        'A relation of the parent, and the relation that its holders have to this resource, such as `{ "owner": "editor" }`.',
    }),
  },
  { additionalProperties: false },
);
type Parent = Static<typeof Parent>;

const fields = {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  description: Type.String({ maxLength: 500 }),
  relations: Type.Array(Relation, { maxItems: 20 }),
  parents: Type.Array(Parent, { maxItems: 10, description: 'The types of its parent resources.' }),
};

export const ResourceType = Type.Object(
  { key: Type.String(), ...fields, createdAt: Instant, updatedAt: Instant },
  { title: 'ResourceType' },
);
export type ResourceType = Static<typeof ResourceType>;

const { name, ...others } = fields;
export const NewResourceType = Type.Object(
  { key: TypeKey, name, ...Type.Partial(Type.Object(others)).properties },
  { additionalProperties: false },
);
export const ResourceTypeChanges = Type.Partial(Type.Object(fields), { additionalProperties: false, minProperties: 1 });
type ResourceTypeChanges = Static<typeof ResourceTypeChanges>;
export const ResourceTypeRef = Type.Object({ typeKey: TypeKey });

type Row = Selectable<Omit<ResourceTypesTable, 'workspace_id' | 'project_id' | 'environment'>>;

/** All types of the project environment with their permissions: at most fifty. Served by the primary keys. */
export async function allTypes(ctx: Ctx | TxCtx): Promise<ResourceType[]> {
  const [rows, granted] = await Promise.all([
    ctx.db
      .selectFrom('resource_types')
      .select(['key', 'name', 'description', 'relations', 'parents', 'created_at', 'updated_at'])
      .where(inScope(ctx))
      .orderBy('key')
      .execute(),
    ctx.db
      .selectFrom('resource_type_permissions')
      .select(['resource_type', 'relation', 'permission'])
      .where(inScope(ctx))
      .orderBy('permission')
      .execute(),
  ]);
  const byType = Map.groupBy(granted, ({ resource_type: type }) => type);
  return rows.map((row) => recordOf(row, byType.get(row.key) ?? []));
}

function recordOf(row: Row, granted: readonly { relation: string; permission: string }[]): ResourceType {
  return {
    key: row.key,
    name: row.name,
    description: row.description,
    relations: row.relations.map((key) => ({
      key,
      permissions: granted.filter(({ relation }) => relation === key).map(({ permission }) => permission),
    })),
    parents: row.parents,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

/** The types in the order of their keys. */
export async function listTypes(ctx: Ctx, query: Static<typeof PageQuery>): Promise<Page<ResourceType>> {
  return pageOfWhole(ctx, await allTypes(ctx), { list: 'resource types', query, positionOf: ({ key }) => [key] });
}

/** @throws Problem NOT_FOUND */
export async function getType(ctx: Ctx | TxCtx, key: string): Promise<ResourceType> {
  return found((await allTypes(ctx)).find((type) => type.key === key));
}

/**
 * Adds a type.
 * @throws Problem ALREADY_EXISTS, CONFLICT at fifty, VALIDATION_FAILED, AUTHORIZATION_DENIED for a permission that the
 * actor does not have
 */
export async function createType(ctx: Ctx, type: Static<typeof NewResourceType>): Promise<ResourceType> {
  const { key, name, description = '', relations = [], parents = [] } = type;
  try {
    return await transaction(ctx, async (tx) => {
      const types = await lockTypes(tx);
      if (types.length >= MAX_TYPES)
        throw problem('CONFLICT', {
          detail: `A project environment has up to ${MAX_TYPES} resource types; remove one first.`,
          extensions: { limit: MAX_TYPES, current: types.length },
        });
      checkType({ key, relations, parents }, types);
      await requireAuthority(tx, 'resource.type.change', { grants: permissionsOf(relations) });
      await tx.db
        .insertInto('resource_types')
        .values({
          ...scopeColumns(tx),
          ...{ key, name, description },
          relations: relations.map((relation) => relation.key),
          parents: JSON.stringify(parents),
          created_at: tx.now,
          updated_at: tx.now,
        })
        .execute();
      await grant(tx, key, relations);
      await emit(tx, 'resource_type.created', { key });
      return getType(tx, key);
    });
  } catch (error) {
    throw isUniqueViolation(error, 'resource_types_pkey')
      ? problem('ALREADY_EXISTS', `The type "${key}" already exists.`)
      : error;
  }
}

/**
 * Changes a type; checks follow from the next request on.
 * @throws Problem NOT_FOUND, VALIDATION_FAILED, AUTHORIZATION_DENIED, CONFLICT while stored relations need what is
 * removed
 */
export function updateType(ctx: Ctx, key: string, changes: ResourceTypeChanges): Promise<ResourceType> {
  return transaction(ctx, async (tx) => {
    const types = await lockTypes(tx);
    const before = found(types.find((type) => type.key === key));
    const after = { ...before, ...changes };
    checkType(after, types);
    const grants = [...permissionsOf(before.relations), ...permissionsOf(after.relations)];
    await requireAuthority(tx, 'resource.type.change', { grants });
    await refuseOrphans(tx, before, after);
    await tx.db
      .updateTable('resource_types')
      .set({
        name: after.name,
        description: after.description,
        relations: after.relations.map((relation) => relation.key),
        parents: JSON.stringify(after.parents),
        updated_at: tx.now,
      })
      .where(inScope(tx))
      .where('key', '=', key)
      .execute();
    if (changes.relations) {
      await tx.db.deleteFrom('resource_type_permissions').where(inScope(tx)).where('resource_type', '=', key).execute();
      await grant(tx, key, changes.relations);
    }
    await emit(tx, 'resource_type.updated', { key, fields: Object.keys(changes).sort() });
    return getType(tx, key);
  });
}

/**
 * Removes a type with its relations.
 * @throws Problem NOT_FOUND, AUTHORIZATION_DENIED, CONFLICT while it is the parent of another type, or has too many
 * relations for one request
 */
export async function deleteType(ctx: Ctx, key: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const types = await lockTypes(tx);
    const { relations } = found(types.find((type) => type.key === key));
    await requireAuthority(tx, 'resource.type.change', { grants: permissionsOf(relations) });
    const child = types.find((type) => type.key !== key && type.parents.some((parent) => parent.type === key));
    if (child) throw problem('CONFLICT', `The type "${child.key}" names it as a parent. Change that type first.`);
    await requireUnused(tx, key);
    await tx.db.deleteFrom('resource_types').where(inScope(tx)).where('key', '=', key).execute();
    await emit(tx, 'resource_type.deleted', { key });
  });
}

/** Serializes changes of types, which refer to one another, and waits for relations that are being written. */
async function lockTypes(tx: TxCtx): Promise<ResourceType[]> {
  await lockEnvironment(tx);
  await tx.db.selectFrom('resource_types').select('key').where(inScope(tx)).orderBy('key').forUpdate().execute();
  return allTypes(tx);
}

/** The types, which stay as they are until the transaction ends. Changes of relations do not wait for one another. */
export async function typesForWriting(tx: TxCtx): Promise<ResourceType[]> {
  await tx.db.selectFrom('resource_types').select('key').where(inScope(tx)).orderBy('key').forShare().execute();
  return allTypes(tx);
}

function permissionsOf(relations: ResourceType['relations']): string[] {
  return relations.flatMap(({ permissions }) => permissions);
}

/** @throws Problem VALIDATION_FAILED for a permission that the project has not added */
async function grant(tx: TxCtx, type: string, relations: ResourceType['relations']): Promise<void> {
  const rows = relations.flatMap(({ key, permissions }) =>
    permissions.map((permission) => ({ ...scopeColumns(tx), resource_type: type, relation: key, permission })),
  );
  if (rows.length === 0) return;
  await requireOwnPermissions(tx, [...new Set(rows.map(({ permission }) => permission))], []);
  await tx.db.insertInto('resource_type_permissions').values(rows).execute();
}
