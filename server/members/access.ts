import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { allPermissionKeys } from '#permissions';
import { type Ctx, customerOf, type TxCtx } from '#platform/ctx.ts';
import type { MemberId, RoleId, UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { acrossProjects } from '#platform/scoped.ts';

/** A role with its permissions, as its holder sees it. */
type GrantedRole = { id: RoleId; key: string; name: string; permissions: string[] };

/** A person's permissions in a project, and the roles that grant them. */
export type Access = {
  memberId: MemberId | null;
  status: 'active' | 'invited' | 'blocked' | null;
  roles: GrantedRole[];
  /** The permissions granted by any of the roles, sorted. */
  permissions: string[];
};

/** The owner has every permission, including those added later. */
export const OWNER = 'owner';
export const isOwner = sql<boolean>`r.key = ${OWNER} and r.built_in`;

/**
 * A person's memberships in the workspace and environment: one row per role, and one row for a member without roles.
 */
export function withRoles(ctx: Ctx | TxCtx, userId: UserId) {
  return ctx.db
    .selectFrom('members as m')
    .leftJoin('member_roles as mr', (join) =>
      join
        .onRef('mr.workspace_id', '=', 'm.workspace_id')
        .onRef('mr.project_id', '=', 'm.project_id')
        .onRef('mr.environment', '=', 'm.environment')
        .onRef('mr.member_id', '=', 'm.id'),
    )
    .leftJoin('roles as r', (join) =>
      join
        .onRef('r.workspace_id', '=', 'mr.workspace_id')
        .onRef('r.project_id', '=', 'mr.project_id')
        .onRef('r.environment', '=', 'mr.environment')
        .onRef('r.id', '=', 'mr.role_id'),
    )
    .where(acrossProjects(ctx, 'm'))
    .where('m.user_id', '=', userId);
}

/**
 * Reads a person's access to `ctx.scope`'s project in one statement; a member has few roles. Read on every admin
 * request, so a change takes effect on the next request in every process. Served by members_of_user and primary keys.
 */
export async function accessOf(ctx: Ctx | TxCtx, userId: UserId): Promise<Access> {
  const rows = await withRoles(ctx, userId)
    .select(['m.id as memberId', 'm.status', 'r.id', 'r.key', 'r.name', 'r.permissions', isOwner.as('owner')])
    .where('m.project_id', '=', ctx.scope.projectId)
    .orderBy('r.key')
    .execute();
  return accessIn(rows, rows.some(({ owner }) => owner) ? await allPermissionKeys(ctx) : []);
}

type RowWithRole = {
  memberId: MemberId;
  status: 'active' | 'invited' | 'blocked';
  owner: boolean | null;
} & { [Field in keyof GrantedRole]: GrantedRole[Field] | null };

function accessIn(rows: readonly RowWithRole[], everything: readonly string[]): Access {
  const roles = rows.flatMap(({ id, key, name, permissions, owner }) =>
    id && key && name && permissions ? [{ id, key, name, permissions: owner ? [...everything] : permissions }] : [],
  );
  const permissions = [...new Set(roles.flatMap((role) => role.permissions))].sort();
  return { memberId: rows[0]?.memberId ?? null, status: rows[0]?.status ?? null, roles, permissions };
}

/**
 * {@link accessOf} for several people, in one statement: looks up each separately, which a planner without statistics
 * would not do.
 */
export async function accessOfEach(ctx: Ctx | TxCtx, userIds: readonly UserId[]): Promise<Map<UserId, Access>> {
  const { workspaceId, projectId, environment } = ctx.scope;
  const { rows } = await sql<RowWithRole & { userId: UserId }>`
    select m.user_id as "userId", m.id as "memberId", m.status, r.id, r.key, r.name, r.permissions, r.owner
    from unnest(${[...userIds]}::text[]) as wanted (user_id)
    cross join lateral (
      select id, user_id, status from members
      where workspace_id = ${workspaceId} and project_id = ${projectId} and environment = ${environment}
        and user_id = wanted.user_id offset 0) m
    left join lateral (
      select r.id, r.key, r.name, r.permissions, ${isOwner} as owner
      from member_roles mr join roles r using (workspace_id, project_id, environment)
      where workspace_id = ${workspaceId} and project_id = ${projectId} and environment = ${environment}
        and mr.member_id = m.id and r.id = mr.role_id offset 0) r on true
    order by r.key`.execute(ctx.db);
  const everything = rows.some(({ owner }) => owner) ? await allPermissionKeys(ctx) : [];
  const byUser = Map.groupBy(rows, ({ userId }) => userId);
  return new Map(userIds.map((userId) => [userId, accessIn(byUser.get(userId) ?? [], everything)]));
}

/**
 * Checks that the actor holds a permission in the scope of its token.
 * @throws Problem AUTHORIZATION_DENIED with `requiredPermission`, MEMBERSHIP_REQUIRED, MEMBER_BLOCKED
 */
export async function requirePermission(ctx: Ctx, permission: string): Promise<void> {
  if (!(await heldPermissions(ctx)).includes(permission))
    throw problem('AUTHORIZATION_DENIED', { extensions: { requiredPermission: permission } });
}

/**
 * The actor's current permissions in the project.
 * @throws Problem MEMBER_BLOCKED, MEMBERSHIP_REQUIRED
 */
export async function heldPermissions(ctx: Ctx | TxCtx): Promise<readonly string[]> {
  if (ctx.actor.kind === 'management' || ctx.actor.kind === 'operator') return ctx.actor.permissions;
  if (ctx.actor.kind === 'system') return allPermissionKeys(ctx);
  const access = await accessOf(ctx, customerOf(ctx).userId);
  if (access.status === 'blocked') throw problem('MEMBER_BLOCKED');
  if (access.status !== 'active') throw problem('MEMBERSHIP_REQUIRED');
  return access.permissions;
}

/** A digest that changes whenever the roles or their permissions change. */
export function versionOf(access: Access): string {
  return hash('sha256', JSON.stringify(access.roles), 'base64url').slice(0, 16);
}
