import { sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { lockEnvironment } from '#environments';
import { emit } from '#events';
import { RoleKey, requireAuthority } from '#members';
import { requireOrganizationRoom } from '#organization-limits';
import { PermissionKey, requireOwnPermissions } from '#permissions';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import { isUniqueViolation } from '#platform/db.ts';
import type { ProjectId, WorkspaceId } from '#platform/ids.ts';
import { type Page, type PageQuery, pageOfWhole } from '#platform/page.ts';
import { found, problem } from '#platform/problem.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import { isOrganizationPermission, OF_ADMINS, OF_OWNERS, OrganizationPermission } from './organization-permissions.ts';

type OrganizationRolesTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  key: string;
  name: string;
  description: string;
  delegable: boolean;
  built_in_permissions: OrganizationPermission[];
  created_at: Date;
  updated_at: Date;
};

/** The project's own permissions that a role grants. */
type OrganizationRolePermissionsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  role: string;
  permission: string;
};

declare module '#platform/db.ts' {
  interface Tables {
    organization_roles: OrganizationRolesTable;
    organization_role_permissions: OrganizationRolePermissionsTable;
  }
}

/** The role that every organization keeps once a member has it. */
export const ORGANIZATION_OWNER = 'owner';

const BUILT_IN: readonly OrganizationRole[] = [
  {
    key: ORGANIZATION_OWNER,
    name: 'Owner',
    description: 'Responsible for the organization. The last owner stays until another member is an owner.',
    builtIn: true,
    delegable: false,
    permissions: [...OF_OWNERS].sort(),
    createdAt: null,
    updatedAt: null,
  },
  {
    key: 'admin',
    name: 'Admin',
    description: 'Manages the members and invitations of the organization, but not its owners.',
    builtIn: true,
    delegable: false,
    permissions: [...OF_ADMINS].sort(),
    createdAt: null,
    updatedAt: null,
  },
];

const Name = Type.String({ minLength: 1, maxLength: 100 });
const Description = Type.String({ maxLength: 500 });
const Permissions = Type.Array(Type.Union([PermissionKey, OrganizationPermission]), {
  maxItems: 1_000,
  uniqueItems: true,
  description:
    'The project’s own permissions, and those to manage the organization (`org.…`). Built-in permissions of the project apply to the whole project.',
});
const Delegable = Type.Boolean({
  description:
    'Members of an organization who may change roles in it may also give and take this role without having the project’s own permissions that it grants.',
});

export const OrganizationRole = Type.Object(
  {
    key: Type.String(),
    name: Type.String(),
    description: Type.String(),
    builtIn: Type.Boolean(),
    delegable: Delegable,
    permissions: Type.Array(Type.String()),
    createdAt: nullable(Instant),
    updatedAt: nullable(Instant),
  },
  { title: 'OrganizationRole' },
);
export type OrganizationRole = Static<typeof OrganizationRole>;

export const NewOrganizationRole = Type.Object(
  {
    key: RoleKey,
    name: Name,
    description: Type.Optional(Description),
    delegable: Type.Optional(Delegable),
    permissions: Type.Optional(Permissions),
  },
  { additionalProperties: false },
);
export const OrganizationRoleChanges = Type.Partial(
  Type.Object({ name: Name, description: Description, delegable: Delegable, permissions: Permissions }),
  { additionalProperties: false, minProperties: 1 },
);
type OrganizationRoleChanges = Static<typeof OrganizationRoleChanges>;
export const OrganizationRoleRef = Type.Object({ roleKey: RoleKey });

/** The project's own roles of organizations with their permissions. Served by the primary keys; there are few. */
async function ownRoles(ctx: Ctx | TxCtx): Promise<OrganizationRole[]> {
  const [roles, granted] = await Promise.all([
    ctx.db.selectFrom('organization_roles').selectAll().where(inScope(ctx)).execute(),
    ctx.db.selectFrom('organization_role_permissions').selectAll().where(inScope(ctx)).orderBy('permission').execute(),
  ]);
  const permissions = Map.groupBy(granted, ({ role }) => role);
  return roles.map((role) => ({
    key: role.key,
    name: role.name,
    description: role.description,
    builtIn: false,
    delegable: role.delegable,
    permissions: [
      ...(permissions.get(role.key) ?? []).map(({ permission }) => permission),
      ...role.built_in_permissions,
    ].sort(),
    createdAt: role.created_at.toISOString(),
    updatedAt: role.updated_at.toISOString(),
  }));
}

/** Reads what each combination of roles grants. */
export async function permissionsOfRoles(ctx: Ctx | TxCtx): Promise<(keys: readonly string[]) => string[]> {
  const roles = [...BUILT_IN, ...(await ownRoles(ctx))];
  return (keys) => {
    const granted = roles.filter(({ key }) => keys.includes(key)).flatMap(({ permissions }) => permissions);
    return [...new Set(granted)].sort();
  };
}

/**
 * The keys of the roles that grant each of these permissions. Served by organization_role_permissions_of_permission; the
 * roles are read only for permissions in organizations.
 */
export async function rolesGranting(ctx: Ctx | TxCtx, permissions: readonly string[]): Promise<Map<string, string[]>> {
  const granted = await ctx.db
    .selectFrom('organization_role_permissions')
    .select(['permission', 'role'])
    .where(inScope(ctx))
    .where('permission', '=', sql<string>`any(${[...permissions]})`)
    .orderBy('role')
    .execute();
  const inside = permissions.filter(isOrganizationPermission);
  const roles = inside.length > 0 ? [...BUILT_IN, ...(await ownRoles(ctx))] : [];
  return new Map(
    permissions.map((permission) => [
      permission,
      isOrganizationPermission(permission)
        ? roles.filter((role) => role.permissions.includes(permission)).map(({ key }) => key)
        : granted.filter((row) => row.permission === permission).map(({ role }) => role),
    ]),
  );
}

/** The project's own roles of organizations, newest first, then the built-in ones. */
export async function listOrganizationRoles(
  ctx: Ctx,
  query: Static<typeof PageQuery>,
): Promise<Page<OrganizationRole>> {
  const own = await ownRoles(ctx);
  return pageOfWhole(ctx, [...own, ...BUILT_IN], {
    list: 'organization roles',
    query,
    positionOf: (role) => [role.createdAt ? -Date.parse(role.createdAt) : BUILT_IN.indexOf(role), role.key],
  });
}

/** @throws Problem NOT_FOUND */
export async function getOrganizationRole(ctx: Ctx | TxCtx, key: string): Promise<OrganizationRole> {
  return found([...BUILT_IN, ...(await ownRoles(ctx))].find((role) => role.key === key));
}

/**
 * Adds a role that members may have in any organization of the project.
 * @throws Problem ALREADY_EXISTS, CONFLICT at a hundred, VALIDATION_FAILED for a permission that is not the project's
 * own, AUTHORIZATION_DENIED for one that the actor does not have
 */
export async function createOrganizationRole(
  ctx: Ctx,
  { key, name, description = '', delegable = false, permissions = [] }: Static<typeof NewOrganizationRole>,
): Promise<OrganizationRole> {
  if (isBuiltIn(key)) throw problem('ALREADY_EXISTS', `"${key}" is a built-in role.`);
  try {
    return await transaction(ctx, async (tx) => {
      await requireAuthority(tx, 'organization.role.create', { grants: ownPermissions(permissions) });
      await requireRoom(tx);
      await tx.db
        .insertInto('organization_roles')
        .values({
          ...scopeColumns(tx),
          ...{ key, name, description, delegable },
          built_in_permissions: permissions.filter(isOrganizationPermission),
          created_at: tx.now,
          updated_at: tx.now,
        })
        .execute();
      await grant(tx, key, permissions);
      await emit(tx, 'organization.role.created', { key });
      return getOrganizationRole(tx, key);
    });
  } catch (error) {
    throw isUniqueViolation(error, 'organization_roles_pkey')
      ? problem('ALREADY_EXISTS', `The role "${key}" already exists.`)
      : error;
  }
}

/**
 * Serializes additions to one project environment, so that the maximum is exact.
 * @throws Problem CONFLICT
 */
async function requireRoom(tx: TxCtx): Promise<void> {
  await lockEnvironment(tx);
  const { length } = await ownRoles(tx);
  await requireOrganizationRoom(tx, 'roles', length);
}

/**
 * Changes a role in every organization.
 * @throws Problem NOT_FOUND, BUILT_IN_ROLE, VALIDATION_FAILED, AUTHORIZATION_DENIED
 */
export function updateOrganizationRole(
  ctx: Ctx,
  key: string,
  { permissions, ...changes }: OrganizationRoleChanges,
): Promise<OrganizationRole> {
  return transaction(ctx, async (tx) => {
    const before = await lockOwnRole(tx, key);
    const grants = ownPermissions([...before, ...(permissions ?? [])]);
    await requireAuthority(tx, 'organization.role.change', { grants });
    await tx.db
      .updateTable('organization_roles')
      .set({
        ...changes,
        ...(permissions && { built_in_permissions: permissions.filter(isOrganizationPermission) }),
        updated_at: tx.now,
      })
      .where(inScope(tx))
      .where('key', '=', key)
      .execute();
    if (permissions !== undefined) {
      await tx.db.deleteFrom('organization_role_permissions').where(inScope(tx)).where('role', '=', key).execute();
      await grant(tx, key, permissions);
    }
    await emit(tx, 'organization.role.updated', { key });
    return getOrganizationRole(tx, key);
  });
}

/**
 * Deletes a role that nobody has in any organization, and that nobody gets there by a mail domain or a group.
 * @throws Problem NOT_FOUND, BUILT_IN_ROLE, CONFLICT, AUTHORIZATION_DENIED
 */
export async function deleteOrganizationRole(ctx: Ctx, key: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const grants = ownPermissions(await lockOwnRole(tx, key));
    await requireAuthority(tx, 'organization.role.delete', { grants });
    const holders = await holdersOf(tx, key);
    if (holders.length > 0)
      throw problem(
        'CONFLICT',
        `This role is given in organizations to ${holders.join(' and ')}. Remove it from them first.`,
      );
    await tx.db.deleteFrom('organization_roles').where(inScope(tx)).where('key', '=', key).execute();
    await emit(tx, 'organization.role.deleted', { key });
  });
}

/**
 * Returns the permissions that the project has added. Everybody who manages roles may grant the others, because they apply
 * only in organizations.
 */
export function ownPermissions(permissions: readonly string[]): string[] {
  return permissions.filter((key) => !isOrganizationPermission(key));
}

/**
 * Stores those of a role's permissions that the project has added.
 * @throws Problem VALIDATION_FAILED for a permission that is neither the project's own nor one in organizations
 */
async function grant(tx: TxCtx, role: string, permissions: readonly string[]): Promise<void> {
  const own = ownPermissions(permissions);
  if (own.length === 0) return;
  await requireOwnPermissions(tx, permissions, permissions.filter(isOrganizationPermission));
  const rows = own.map((permission) => ({ ...scopeColumns(tx), role, permission }));
  await tx.db.insertInto('organization_role_permissions').values(rows).execute();
}

/**
 * Serializes changes of a role, and waits for transactions that assign it to members.
 * @returns its permissions
 * @throws Problem NOT_FOUND, BUILT_IN_ROLE
 */
async function lockOwnRole(tx: TxCtx, key: string): Promise<string[]> {
  if (isBuiltIn(key)) throw problem('BUILT_IN_ROLE');
  await tx.db
    .selectFrom('organization_roles')
    .select('key')
    .where(inScope(tx))
    .where('key', '=', key)
    .forUpdate()
    .execute();
  return (await getOrganizationRole(tx, key)).permissions;
}

function isBuiltIn(key: string): boolean {
  return BUILT_IN.some((role) => role.key === key);
}

/** What has a role in any organization, in the plural. This is rare, so it has no index. */
async function holdersOf(tx: TxCtx, key: string): Promise<string[]> {
  const { workspaceId, projectId, environment } = tx.scope;
  const tables = tx.system.parts.flatMap(({ organizationRoles }) => Object.entries(organizationRoles ?? {}));
  const held = tables.map(([table, { rows, columns }]) => {
    const values = sql.join(columns.map((column) => sql`to_jsonb(${sql.ref(column)})`));
    return sql`select ${rows} as holders where exists (select from ${sql.table(table)}
      where workspace_id = ${workspaceId} and project_id = ${projectId} and environment = ${environment}
        and jsonb_path_exists(jsonb_build_array(${values}), '$.** ? (@ == $key)', jsonb_build_object('key', ${key}::text)))`;
  });
  const { rows } = await sql<{ holders: string }>`${sql.join(held, sql` union all `)}`.execute(tx.db);
  return rows.map(({ holders }) => holders);
}

/** Returns the roles with these keys that exist. Locks them, so that none is deleted or changed concurrently. */
export async function lockKnownRoles(tx: TxCtx, keys: readonly string[]): Promise<OrganizationRole[]> {
  if (keys.length === 0) return [];
  await tx.db
    .selectFrom('organization_roles')
    .select('key')
    .where(inScope(tx))
    .where('key', '=', sql<string>`any(${[...keys]})`)
    .orderBy('key')
    .forShare()
    .execute();
  return [...BUILT_IN, ...(await ownRoles(tx))].filter(({ key }) => keys.includes(key));
}

/**
 * {@link lockKnownRoles}, if all of them exist.
 * @param pointer where the request has them
 * @throws Problem VALIDATION_FAILED for a role that does not exist
 */
export async function lockOrganizationRoles(
  tx: TxCtx,
  keys: readonly string[],
  pointer = '/body/roles',
): Promise<OrganizationRole[]> {
  const known = await lockKnownRoles(tx, keys);
  const errors = keys.flatMap((key, index) =>
    known.some((role) => role.key === key)
      ? []
      : [{ pointer: `${pointer}/${index}`, message: `"${key}" is not a role of organizations` }],
  );
  if (errors.length > 0) throw problem('VALIDATION_FAILED', { extensions: { errors } });
  return known;
}

/**
 * {@link lockOrganizationRoles} for the roles of people who join by themselves, who cannot become owners.
 * @throws Problem VALIDATION_FAILED for `owner`, and for a role that does not exist
 */
export async function lockJoiningRoles(
  tx: TxCtx,
  keys: readonly string[],
  pointer = '/body/roles',
): Promise<OrganizationRole[]> {
  const at = keys.indexOf(ORGANIZATION_OWNER);
  if (at < 0) return lockOrganizationRoles(tx, keys, pointer);
  const errors = [{ pointer: `${pointer}/${at}`, message: 'people who join by themselves cannot become owners' }];
  throw problem('VALIDATION_FAILED', { extensions: { errors } });
}
