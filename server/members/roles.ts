import { sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { emit } from '#events';
import {
  allPermissionKeys,
  PermissionKey,
  permissionKeys,
  permissionsChanged,
  requireKnownPermissions,
} from '#permissions';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import { isForeignKeyViolation, isUniqueViolation } from '#platform/db.ts';
import { announce } from '#platform/feed.ts';
import { IdSchema, newId, type ProjectId, type RoleId, type WorkspaceId } from '#platform/ids.ts';
import { newestFirst, type Page, PageQuery } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';
import { Instant } from '#platform/schemas.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import type { SystemInTx } from '#platform/system.ts';
import { OWNER } from './access.ts';
import { requireAuthority } from './authority.ts';

type RolesTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  id: RoleId;
  key: string;
  name: string;
  description: string;
  built_in: boolean;
  permissions: string[];
  created_at: Date;
  updated_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    roles: RolesTable;
  }
}

export const RoleKey = Type.String({
  minLength: 2,
  maxLength: 50,
  pattern: '^[a-z][a-z0-9_-]*$',
  examples: ['editor'],
});
const Name = Type.String({ minLength: 1, maxLength: 100 });
const Description = Type.String({ maxLength: 500 });
const Permissions = Type.Array(PermissionKey, { maxItems: 1_100, uniqueItems: true });

export const Role = Type.Object(
  {
    id: IdSchema('rol'),
    key: Type.String(),
    name: Type.String(),
    description: Type.String(),
    builtIn: Type.Boolean(),
    permissions: Type.Array(Type.String()),
    createdAt: Instant,
    updatedAt: Instant,
  },
  { title: 'Role' },
);
export type Role = Static<typeof Role>;

export const NewRole = Type.Object(
  { key: RoleKey, name: Name, description: Type.Optional(Description), permissions: Type.Optional(Permissions) },
  { additionalProperties: false },
);
export const RoleChanges = Type.Object(
  { name: Type.Optional(Name), description: Type.Optional(Description) },
  { additionalProperties: false, minProperties: 1 },
);
export const RolePermissions = Type.Object({ permissions: Permissions }, { additionalProperties: false });
export const RoleRef = Type.Object({ id: IdSchema('rol') });
export const RoleQuery = PageQuery;

/** Only owners have these permissions until they grant them to a role: spending money, and acting for people. */
const OWNERS_ONLY = ['billing:write', 'applications:delegate', 'members:impersonate'];

function builtInRoles(system: SystemInTx) {
  const keys = permissionKeys(system);
  const admin = keys.filter((key) => !OWNERS_ONLY.includes(key));
  const viewer = keys.filter((key) => key.endsWith(':read'));
  return [
    { key: OWNER, name: 'Owner', description: 'Everything, including permissions added later.', permissions: [] },
    {
      key: 'admin',
      name: 'Admin',
      description: 'Everything except billing and acting for people.',
      permissions: admin,
    },
    { key: 'viewer', name: 'Viewer', description: 'Reads everything, changes nothing.', permissions: viewer },
  ];
}

/** Gives a new project environment its built-in roles. */
export async function setUpRoles(tx: TxCtx): Promise<void> {
  const rows = builtInRoles(tx.system).map((role) => ({
    ...scopeColumns(tx),
    id: newId('rol', tx.now),
    ...role,
    built_in: true,
    created_at: tx.now,
    updated_at: tx.now,
  }));
  await tx.db.insertInto('roles').values(rows).execute();
}

function recordOf(row: RolesTable, everything: readonly string[]): Role {
  const { id, key, name, description, built_in: builtIn } = row;
  const permissions = builtIn && key === OWNER ? [...everything] : row.permissions;
  return {
    id,
    key,
    name,
    description,
    builtIn,
    permissions,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

/** Roles of the project, newest first. Served by the primary key. */
export async function listRoles(ctx: Ctx, { limit, cursor }: Static<typeof PageQuery>): Promise<Page<Role>> {
  const query = ctx.db.selectFrom('roles').selectAll().where(inScope(ctx));
  const [page, everything] = await Promise.all([
    newestFirst(ctx, query, { list: 'roles', limit, cursor }),
    allPermissionKeys(ctx),
  ]);
  return { items: page.rows.map((row) => recordOf(row, everything)), nextCursor: page.nextCursor };
}

/** @throws Problem NOT_FOUND */
export async function getRole(ctx: Ctx, id: RoleId): Promise<Role> {
  const row = await ctx.db.selectFrom('roles').selectAll().where(inScope(ctx)).where('id', '=', id).executeTakeFirst();
  if (!row) throw problem('NOT_FOUND');
  return recordOf(row, await allPermissionKeys(ctx));
}

/**
 * Adds a role.
 * @throws Problem ALREADY_EXISTS, VALIDATION_FAILED for an unknown permission, AUTHORIZATION_DENIED
 */
export async function createRole(ctx: Ctx, role: Static<typeof NewRole>): Promise<Role> {
  const permissions = [...(role.permissions ?? [])].sort();
  try {
    return await transaction(ctx, async (tx) => {
      await requireKnownPermissions(tx, permissions);
      await requireAuthority(tx, 'role.create', { grants: permissions });
      const row = {
        ...scopeColumns(tx),
        id: newId('rol', tx.now),
        key: role.key,
        name: role.name,
        description: role.description ?? '',
        built_in: false,
        permissions,
        created_at: tx.now,
        updated_at: tx.now,
      };
      await tx.db.insertInto('roles').values(row).execute();
      await emit(tx, 'role.created', { roleId: row.id, key: row.key });
      return recordOf(row, []);
    });
  } catch (error) {
    throw isUniqueViolation(error, 'roles_key')
      ? problem('ALREADY_EXISTS', `The role "${role.key}" already exists.`)
      : error;
  }
}

/**
 * Changes name or description.
 * @throws Problem NOT_FOUND, BUILT_IN_ROLE, AUTHORIZATION_DENIED
 */
export function updateRole(ctx: Ctx, id: RoleId, changes: Static<typeof RoleChanges>): Promise<Role> {
  return changeRole(ctx, id, changes);
}

/**
 * Replaces the permissions of a role; takes effect on the next request of its holders.
 * @throws Problem NOT_FOUND, BUILT_IN_ROLE, VALIDATION_FAILED, AUTHORIZATION_DENIED
 */
export function setRolePermissions(ctx: Ctx, id: RoleId, permissions: readonly string[]): Promise<Role> {
  return changeRole(ctx, id, { permissions: [...permissions].sort() });
}

function changeRole(
  ctx: Ctx,
  id: RoleId,
  changes: { name?: string; description?: string; permissions?: string[] },
): Promise<Role> {
  return transaction(ctx, async (tx) => {
    const before = await lockOwnRole(tx, id);
    const { permissions = [] } = changes;
    await requireKnownPermissions(tx, permissions);
    await requireAuthority(tx, 'role.change', { grants: [...before.permissions, ...permissions] });
    const row = await tx.db
      .updateTable('roles')
      .set({ ...changes, updated_at: tx.now })
      .where(inScope(tx))
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await emit(tx, 'role.updated', { roleId: id, key: row.key });
    await announce(tx, { topic: 'member', key: `${tx.scope.projectId}/*` });
    if (changes.permissions) await permissionsChanged(tx, 'members', 'roles_changed');
    return recordOf(row, []);
  });
}

/** Serialises changes of one role, which must not be built in. */
async function lockOwnRole(tx: TxCtx, id: RoleId): Promise<RolesTable> {
  const row = await tx.db
    .selectFrom('roles')
    .selectAll()
    .where(inScope(tx))
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw problem('NOT_FOUND');
  if (row.built_in) throw problem('BUILT_IN_ROLE');
  return row;
}

/**
 * Deletes a role that nobody holds.
 * @throws Problem NOT_FOUND, BUILT_IN_ROLE, CONFLICT, AUTHORIZATION_DENIED
 */
export async function deleteRole(ctx: Ctx, id: RoleId): Promise<void> {
  try {
    await transaction(ctx, async (tx) => {
      const { key, permissions } = await lockOwnRole(tx, id);
      await requireAuthority(tx, 'role.delete', { grants: permissions });
      await tx.db.deleteFrom('roles').where(inScope(tx)).where('id', '=', id).execute();
      await emit(tx, 'role.deleted', { roleId: id, key });
    });
  } catch (error) {
    throw isForeignKeyViolation(error)
      ? problem('CONFLICT', 'Members have this role. Remove it from them first.')
      : error;
  }
}

/**
 * The roles with these keys and their permissions, locked so that none is deleted concurrently.
 * @param unknown what happens to a key that no role of the project has
 * @throws Problem VALIDATION_FAILED for an unknown key that is refused
 */
export async function lockRoles(tx: TxCtx, keys: readonly string[], unknown: 'refuse' | 'skip') {
  if (keys.length === 0) return [];
  const rows = await tx.db
    .selectFrom('roles')
    .selectAll()
    .where(inScope(tx))
    .where('key', '=', sql<string>`any(${[...keys]})`)
    .orderBy('id')
    .forShare()
    .execute();
  const errors = keys.flatMap((key, index) =>
    rows.some((role) => role.key === key)
      ? []
      : [{ pointer: `/body/roles/${index}`, message: `"${key}" is not a role of this project` }],
  );
  if (unknown === 'refuse' && errors.length > 0) throw problem('VALIDATION_FAILED', { extensions: { errors } });
  const everything = keys.includes(OWNER) ? await allPermissionKeys(tx) : [];
  return rows.map((row) => ({
    id: row.id,
    key: row.key,
    permissions: row.built_in && row.key === OWNER ? everything : row.permissions,
  }));
}

/** The named roles that exist in the project. Served by roles_key. */
export async function existingRoles(tx: TxCtx, keys: readonly string[]): Promise<{ id: RoleId; key: string }[]> {
  return tx.db
    .selectFrom('roles')
    .selectAll()
    .where(inScope(tx))
    .where('key', '=', sql<string>`any(${[...keys]})`)
    .orderBy('key')
    .execute();
}

/** The id of the project's role with this key. Served by roles_key. */
export async function roleByKey(ctx: Ctx, key: string): Promise<RoleId | undefined> {
  return (await ctx.db.selectFrom('roles').selectAll().where(inScope(ctx)).where('key', '=', key).executeTakeFirst())
    ?.id;
}
