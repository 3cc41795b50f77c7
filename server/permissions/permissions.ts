import { sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { lockEnvironment } from '#environments';
import { emit } from '#events';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import { isForeignKeyViolation, isUniqueViolation } from '#platform/db.ts';
import type { ProjectId, WorkspaceId } from '#platform/ids.ts';
import { type Page, PageQuery, pageOfWhole } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import { perSystem } from '#platform/system.ts';

type PermissionsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  key: string;
  description: string;
  created_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    permissions: PermissionsTable;
  }
}

/** The permissions that the admin API requires: parts declare them, and every project has them. By key. */
const builtIn = perSystem(({ parts }): readonly Permission[] =>
  parts
    .flatMap(({ permissions = {} }) => Object.entries(permissions))
    .map(([key, description]) => ({ key, description, builtIn: true, createdAt: null }))
    .sort((a, b) => (a.key < b.key ? -1 : 1)),
);

/** The built-in keys. */
export const permissionKeys = perSystem((system): readonly string[] => builtIn(system).map(({ key }) => key));

export const PermissionKey = Type.String({
  minLength: 3,
  maxLength: 100,
  pattern: '^[a-z][a-z0-9_-]*:[a-z][a-z0-9_-]*$',
  examples: ['orders:refund'],
});
const Description = Type.String({ minLength: 1, maxLength: 500 });

export const Permission = Type.Object(
  {
    key: Type.String(),
    description: Type.String(),
    builtIn: Type.Boolean(),
    createdAt: nullable(Instant),
  },
  { title: 'Permission' },
);
export type Permission = Static<typeof Permission>;

export const NewPermission = Type.Object(
  { key: PermissionKey, description: Description },
  { additionalProperties: false },
);
export const PermissionChanges = Type.Object({ description: Description }, { additionalProperties: false });
export const PermissionRef = Type.Object({ key: PermissionKey });
export const PermissionQuery = PageQuery;

/** The project's own permissions, newest first, then the built-in ones. Served by the primary key. */
export async function listPermissions(ctx: Ctx, query: Static<typeof PageQuery>): Promise<Page<Permission>> {
  const rows = await ctx.db
    .selectFrom('permissions')
    .where(inScope(ctx))
    .select(['key', 'description', 'created_at'])
    .execute();
  const own = rows.map((row) => ({
    key: row.key,
    description: row.description,
    builtIn: false,
    createdAt: row.created_at.toISOString(),
  }));
  return pageOfWhole(ctx, [...own, ...builtIn(ctx.system)], {
    list: 'permissions',
    query,
    positionOf: ({ createdAt, key }) => [createdAt ? -Date.parse(createdAt) : 0, key],
  });
}

/**
 * A built-in permission, or one of the project's own. Served by the primary key.
 * @throws Problem NOT_FOUND
 */
export async function getPermission(ctx: Ctx, key: string): Promise<Permission> {
  const known = builtIn(ctx.system).find((permission) => permission.key === key);
  if (known) return known;
  const row = await ctx.db
    .selectFrom('permissions')
    .where(inScope(ctx))
    .select(['description', 'created_at'])
    .where('key', '=', key)
    .executeTakeFirst();
  if (!row) throw problem('NOT_FOUND');
  return { key, description: row.description, builtIn: false, createdAt: row.created_at.toISOString() };
}

/** Every permission key of the project: the built-in ones and its own (at most a thousand). */
export async function allPermissionKeys(ctx: Ctx | TxCtx): Promise<string[]> {
  const rows = await ctx.db.selectFrom('permissions').where(inScope(ctx)).select('key').execute();
  return [...permissionKeys(ctx.system), ...rows.map((row) => row.key)];
}

/**
 * Rejects permissions that don't exist, and prevents the removal of the others until the transaction ends: they would take
 * effect if a permission of that name were created later.
 * @throws Problem VALIDATION_FAILED
 */
export async function requireKnownPermissions(tx: TxCtx, permissions: readonly string[]): Promise<void> {
  const builtInKeys = permissionKeys(tx.system);
  const own = await keepOwn(
    tx,
    permissions.filter((key) => !builtInKeys.includes(key)),
  );
  refuseUnknown(permissions, [...builtInKeys, ...own], 'is not a permission of this project');
}

/**
 * Rejects permissions that are not the project's own, and prevents the removal of the others until the transaction
 * ends.
 * @param besides permissions that are no records of the project
 * @throws Problem VALIDATION_FAILED
 */
export async function requireOwnPermissions(
  tx: TxCtx,
  permissions: readonly string[],
  besides: readonly string[],
): Promise<void> {
  const own = [...besides, ...(await keepOwn(tx, permissions))];
  refuseUnknown(permissions, own, 'is not one of the permissions that this project has added');
}

/** Those of these permissions that the project has added, locked against their removal. Served by the primary key. */
async function keepOwn(tx: TxCtx, permissions: readonly string[]): Promise<string[]> {
  if (permissions.length === 0) return [];
  const rows = await tx.db
    .selectFrom('permissions')
    .select('key')
    .where(inScope(tx))
    .where('key', '=', sql<string>`any(${[...permissions]})`)
    .orderBy('key')
    .forKeyShare()
    .execute();
  return rows.map((row) => row.key);
}

function refuseUnknown(permissions: readonly string[], known: readonly string[], fault: string): void {
  const errors = permissions.flatMap((key, index) =>
    known.includes(key) ? [] : [{ pointer: `/body/permissions/${index}`, message: `"${key}" ${fault}` }],
  );
  if (errors.length > 0) throw problem('VALIDATION_FAILED', { extensions: { errors } });
}

const MAX_OWN = 1_000;

/**
 * Adds a permission to the project.
 * @throws Problem ALREADY_EXISTS, CONFLICT at a thousand
 */
export async function createPermission(ctx: Ctx, permission: Static<typeof NewPermission>): Promise<Permission> {
  if (permissionKeys(ctx.system).includes(permission.key))
    throw problem('ALREADY_EXISTS', `"${permission.key}" is a built-in permission.`);
  try {
    return await transaction(ctx, async (tx) => {
      // One addition at a time, so that the limit is exact.
      await lockEnvironment(tx);
      const { count } = await tx.db
        .selectFrom('permissions')
        .where(inScope(tx))
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      if (count >= MAX_OWN)
        throw problem('CONFLICT', `A project has up to ${MAX_OWN} own permissions; remove one first.`);
      await tx.db
        .insertInto('permissions')
        .values({ ...scopeColumns(tx), ...permission, created_at: tx.now })
        .execute();
      await emit(tx, 'role.permission.created', { key: permission.key });
      return { ...permission, builtIn: false, createdAt: tx.now.toISOString() };
    });
  } catch (error) {
    throw isUniqueViolation(error, 'permissions_pkey')
      ? problem('ALREADY_EXISTS', `The permission "${permission.key}" already exists.`)
      : error;
  }
}

/**
 * Changes the description of a permission.
 * @throws Problem NOT_FOUND, CONFLICT for a built-in one
 */
export async function describePermission(ctx: Ctx, key: string, description: string): Promise<Permission> {
  refuseBuiltIn(ctx, key);
  return transaction(ctx, async (tx) => {
    const row = await tx.db
      .updateTable('permissions')
      .set({ description })
      .where(inScope(tx))
      .where('key', '=', key)
      .returning('created_at')
      .executeTakeFirst();
    if (!row) throw problem('NOT_FOUND');
    await emit(tx, 'role.permission.updated', { key });
    return { key, description, builtIn: false, createdAt: row.created_at.toISOString() };
  });
}

/**
 * Removes one of the project's own permissions. The caller takes it from the roles of the project that grant it, and from
 * others who hold it.
 * @throws Problem NOT_FOUND, CONFLICT while a role of organizations or a resource type grants it
 */
export async function removePermission(tx: TxCtx, key: string): Promise<void> {
  const deleting = tx.db.deleteFrom('permissions').where(inScope(tx)).where('key', '=', key).executeTakeFirst();
  const { numDeletedRows } = await deleting.catch((error: unknown) => {
    throw isForeignKeyViolation(error)
      ? problem(
          'CONFLICT',
          'A role of organizations or a resource type grants this permission. Take it from there first.',
        )
      : error;
  });
  if (numDeletedRows === 0n) throw problem('NOT_FOUND');
}

/** @throws Problem CONFLICT */
export function refuseBuiltIn({ system }: Pick<TxCtx, 'system'>, key: string): void {
  if (permissionKeys(system).includes(key))
    throw problem('CONFLICT', `"${key}" is a built-in permission; built-in permissions are read-only.`);
}
