import { type Generated, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { emit, emitAll } from '#events';
import { membersById, RoleKey } from '#members';
import { requireOrganizationRoom } from '#organization-limits';
import { usersAwaitingErasure } from '#people';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import { isForeignKeyViolation } from '#platform/db.ts';
import {
  IdSchema,
  type MemberId,
  type OrganizationId,
  type ProjectId,
  type UserId,
  type WorkspaceId,
} from '#platform/ids.ts';
import { newestFirst, type Page, PageQuery } from '#platform/page.ts';
import type { LeavingMember } from '#platform/part.ts';
import { found, problem } from '#platform/problem.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import { changeOrganizationSessions } from '#sessions';
import { type Authority, asAdministrator } from './organization-authority.ts';
import { lockKnownRoles, lockOrganizationRoles, ORGANIZATION_OWNER } from './organization-roles.ts';
import { getOrganization, lockOrganization, OrganizationRef } from './organizations.ts';

type OrganizationMembersTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  organization_id: OrganizationId;
  member_id: MemberId;
  /** Keys of the built-in roles and of the project's own. */
  roles: string[];
  created_at: Date;
};

/** People who left an organization or were removed from it, and who therefore do not join it again by a domain. */
type OrganizationDeparturesTable = Omit<OrganizationMembersTable, 'roles' | 'created_at'> & {
  /** Whether the directory of the organization removed them the last time. */
  by_directory: Generated<boolean>;
};

declare module '#platform/db.ts' {
  interface Tables {
    organization_members: OrganizationMembersTable;
    organization_departures: OrganizationDeparturesTable;
  }
}

const Roles = Type.Array(RoleKey, { maxItems: 50, uniqueItems: true });

/** A member of the project in one organization. */
export const OrganizationMember = Type.Object(
  {
    memberId: IdSchema('mem'),
    userId: IdSchema('usr'),
    email: nullable(Type.String()),
    phone: nullable(Type.String()),
    username: nullable(Type.String()),
    displayName: nullable(Type.String()),
    status: Type.Enum(['active', 'invited', 'blocked'], { description: 'The membership of the project.' }),
    roles: Type.Array(Type.String(), { description: 'The roles in this organization.' }),
    joinedAt: Instant,
  },
  { title: 'OrganizationMember' },
);
type OrganizationMember = Static<typeof OrganizationMember>;

export const NewOrganizationMember = Type.Object(
  { memberId: IdSchema('mem'), roles: Type.Optional(Roles) },
  { additionalProperties: false },
);
export const OrganizationMemberRoles = Type.Object({ roles: Roles }, { additionalProperties: false });
export const OrganizationMemberRef = Type.Object({ ...OrganizationRef.properties, memberId: IdSchema('mem') });
type Ref = Static<typeof OrganizationMemberRef>;
export const OrganizationMemberQuery = Type.Object({ ...PageQuery.properties, role: Type.Optional(RoleKey) });

type Row = { id: MemberId; roles: string[]; created_at: Date };

function membershipsOf(ctx: Ctx | TxCtx, organizationId: OrganizationId) {
  return ctx.db
    .selectFrom('organization_members')
    .select(['member_id as id', 'roles', 'created_at'])
    .where(inScope(ctx))
    .where('organization_id', '=', organizationId);
}

export async function isIn(tx: TxCtx, organizationId: OrganizationId, memberId: MemberId): Promise<boolean> {
  return (await membershipsOf(tx, organizationId).where('member_id', '=', memberId).executeTakeFirst()) !== undefined;
}

/** At most three statements whatever the number of rows. */
async function recordsOf(ctx: Ctx | TxCtx, rows: readonly Row[]): Promise<OrganizationMember[]> {
  const members = await membersById(
    ctx,
    rows.map(({ id }) => id),
  );
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  return members.flatMap(({ id: memberId, userId, email, phone, username, displayName, status }) => {
    const row = rowOf.get(memberId);
    if (!row) return [];
    const joinedAt = row.created_at.toISOString();
    return [{ memberId, userId, email, phone, username, displayName, status, roles: row.roles, joinedAt }];
  });
}

/**
 * The members of an organization; those who joined the project last come first. Served by the primary key.
 * @throws Problem NOT_FOUND
 */
export async function listOrganizationMembers(
  ctx: Ctx,
  organizationId: OrganizationId,
  { limit, cursor, role }: Static<typeof OrganizationMemberQuery>,
): Promise<Page<OrganizationMember>> {
  await getOrganization(ctx, organizationId);
  let query = membershipsOf(ctx, organizationId);
  if (role !== undefined) query = query.where(sql<boolean>`${role} = any(roles)`);
  const list = JSON.stringify(['organization members', organizationId, role]);
  const page = await newestFirst(ctx, query, { list, limit, cursor, by: 'member_id' });
  return { items: await recordsOf(ctx, page.rows), nextCursor: page.nextCursor };
}

/** @throws Problem NOT_FOUND */
export async function getOrganizationMember(
  ctx: Ctx | TxCtx,
  { organizationId, memberId }: Ref,
): Promise<OrganizationMember> {
  const rows = await membershipsOf(ctx, organizationId).where('member_id', '=', memberId).execute();
  return found((await recordsOf(ctx, rows))[0]);
}

/**
 * Adds a member of the project to an organization.
 * @throws Problem NOT_FOUND for an organization or member that the project does not have, ALREADY_EXISTS, CONFLICT
 * beyond the maximum, VALIDATION_FAILED for an unknown role, AUTHORIZATION_DENIED for a role that grants more than the
 * actor has
 */
export function addOrganizationMember(
  ctx: Ctx,
  organizationId: OrganizationId,
  { memberId, roles = [] }: Static<typeof NewOrganizationMember>,
): Promise<OrganizationMember> {
  return transaction(ctx, async (tx) => {
    await lockOrganization(tx, organizationId);
    const { userId } = found((await membersById(tx, [memberId]))[0]);
    await asAdministrator(tx, 'organization.member.add', await lockOrganizationRoles(tx, roles));
    await insertMembership(tx, { organizationId, memberId, userId }, roles);
    return getOrganizationMember(tx, { organizationId, memberId });
  });
}

/**
 * The caller has locked the organization, or is adding it.
 * @throws Problem ALREADY_EXISTS, CONFLICT beyond the maximum, NOT_FOUND if the person leaves the project concurrently
 */
export async function insertMembership(tx: TxCtx, who: Ref & { userId: UserId }, roles: readonly string[]) {
  await requireRoomInOrganization(tx, who.organizationId);
  const inserting = tx.db
    .insertInto('organization_members')
    .values({
      ...scopeColumns(tx),
      organization_id: who.organizationId,
      member_id: who.memberId,
      roles: [...roles].sort(),
      created_at: tx.now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  const { numInsertedOrUpdatedRows } = await inserting.catch((error: unknown) => {
    throw isForeignKeyViolation(error) ? problem('NOT_FOUND') : error;
  });
  if (numInsertedOrUpdatedRows === 0n)
    throw problem('ALREADY_EXISTS', 'This person is already a member of the organization.');
  await emit(tx, 'organization.member.added', { ...who, roles: [...roles].sort() });
}

/**
 * The caller has locked the organization, so that the maximum is exact.
 * @param invited the number of open invitations, which count as members
 * @throws Problem CONFLICT
 */
export async function requireRoomInOrganization(tx: TxCtx, organizationId: OrganizationId, invited = 0): Promise<void> {
  const { count } = await tx.db
    .selectFrom('organization_members')
    .where(inScope(tx))
    .where('organization_id', '=', organizationId)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  await requireOrganizationRoom(tx, 'members', count + invited);
}

/**
 * Replaces the roles of a member in an organization.
 * @param may checks the authority of the actor
 * @throws Problem NOT_FOUND, LAST_OWNER, VALIDATION_FAILED for an unknown role, AUTHORIZATION_DENIED for roles that grant
 * more than the actor has, before or afterwards
 */
export function setOrganizationMemberRoles(
  ctx: Ctx | TxCtx,
  ref: Ref,
  roles: readonly string[],
  may: Authority = asAdministrator,
): Promise<OrganizationMember> {
  return changeMembership(ctx, ref, async (tx, before) => {
    const affected = await lockOrganizationRoles(tx, [...new Set([...roles, ...before.roles])]);
    await may(tx, 'organization.member.roles.replace', affected);
    if (!roles.includes(ORGANIZATION_OWNER)) await keepAnOwner(tx, ref);
    await replaceRoles(tx, { ...ref, userId: before.userId }, roles);
    return getOrganizationMember(tx, ref);
  });
}

export async function replaceRoles(tx: TxCtx, who: Ref & { userId: UserId }, keys: readonly string[]): Promise<void> {
  const roles = [...keys].sort();
  await tx.db
    .updateTable('organization_members')
    .set({ roles })
    .where(inScope(tx))
    .where('organization_id', '=', who.organizationId)
    .where('member_id', '=', who.memberId)
    .execute();
  await emit(tx, 'organization.member.roles.changed', { ...who, roles });
  await changeOrganizationSessions(tx, { ...who, action: 'renew', reason: 'organization_roles_changed' });
}

/**
 * Adds a member of the project to an organization, or adds roles to a membership; roles that were deleted are skipped.
 * @throws Problem NOT_FOUND, CONFLICT beyond the maximum
 */
export async function joinOrganization(
  tx: TxCtx,
  who: Ref & { userId: UserId },
  keys: readonly string[],
): Promise<void> {
  await lockOrganization(tx, who.organizationId);
  const roles = (await lockKnownRoles(tx, keys)).map(({ key }) => key);
  const before = await membershipsOf(tx, who.organizationId).where('member_id', '=', who.memberId).executeTakeFirst();
  if (!before) return insertMembership(tx, who, roles);
  const all = [...new Set([...before.roles, ...roles])];
  if (all.length > before.roles.length) await replaceRoles(tx, who, all);
}

/**
 * Removes a member from an organization; the membership of the project stays.
 * @throws Problem NOT_FOUND, LAST_OWNER, AUTHORIZATION_DENIED for a member with more permissions than the actor
 */
export async function removeOrganizationMember(
  ctx: Ctx | TxCtx,
  ref: Ref,
  may: Authority = asAdministrator,
): Promise<void> {
  await changeMembership(ctx, ref, async (tx, { userId, roles }) => {
    await may(tx, 'organization.member.remove', await lockOrganizationRoles(tx, roles));
    await endMembership(tx, ref, userId);
  });
}

/**
 * The signed-in person leaves an organization.
 * @throws Problem NOT_FOUND, LAST_OWNER
 */
export async function leaveOrganization(ctx: Ctx, ref: Ref): Promise<void> {
  await changeMembership(ctx, ref, (tx, { userId }) => endMembership(tx, ref, userId));
}

async function endMembership(tx: TxCtx, ref: Ref, userId: UserId): Promise<void> {
  await keepAnOwner(tx, ref);
  if (!(await deleteMembership(tx, { ...ref, userId }))) throw problem('NOT_FOUND');
}

/**
 * Ends a membership, even that of the last owner. The caller has locked the organization.
 * @returns false if it has ended, because the person was removed from the project at the same time
 */
export async function deleteMembership(
  tx: TxCtx,
  { userId, ...ref }: Ref & { userId: UserId },
  { byDirectory = false }: { byDirectory?: boolean } = {},
): Promise<boolean> {
  const { numDeletedRows } = await tx.db
    .deleteFrom('organization_members')
    .where(inScope(tx))
    .where('organization_id', '=', ref.organizationId)
    .where('member_id', '=', ref.memberId)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  await tx.db
    .insertInto('organization_departures')
    .values({
      ...scopeColumns(tx),
      organization_id: ref.organizationId,
      member_id: ref.memberId,
      by_directory: byDirectory,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'project_id', 'environment', 'organization_id', 'member_id'])
        .doUpdateSet({ by_directory: byDirectory }),
    )
    .execute();
  await emit(tx, 'organization.member.removed', { ...ref, userId });
  await changeOrganizationSessions(tx, { ...ref, userId, action: 'end', reason: 'organization_member_removed' });
  return true;
}

/** Changes a membership while its organization is locked, which serializes changes of the owners. */
function changeMembership<T>(
  ctx: Ctx | TxCtx,
  ref: Ref,
  change: (tx: TxCtx, before: { userId: UserId; roles: string[] }) => Promise<T>,
): Promise<T> {
  return transaction(ctx, async (tx) => {
    await lockOrganization(tx, ref.organizationId);
    return change(tx, await getOrganizationMember(tx, ref));
  });
}

/** @throws Problem LAST_OWNER when this member is the only active owner whose account stays */
async function keepAnOwner(tx: TxCtx, { organizationId, memberId }: Ref): Promise<void> {
  const rows = await membershipsOf(tx, organizationId)
    .where(sql<boolean>`${ORGANIZATION_OWNER} = any(roles)`)
    .execute();
  if (!rows.some(({ id }) => id === memberId)) return;
  const others = (await recordsOf(tx, rows)).filter(
    (owner) => owner.memberId !== memberId && owner.status === 'active',
  );
  const awaitingErasure = await usersAwaitingErasure(
    tx,
    others.map(({ userId }) => userId),
  );
  if (others.every(({ userId }) => awaitingErasure.has(userId))) throw problem('LAST_OWNER');
}

/** Ends the memberships of a member who leaves the project, also the last owner's. Served by organizations_of_member. */
export async function leaveOrganizations(tx: TxCtx, { memberId, userId }: LeavingMember): Promise<void> {
  const rows = await tx.db
    .deleteFrom('organization_members')
    .where(inScope(tx))
    .where('member_id', '=', memberId)
    .returning('organization_id as organizationId')
    .execute();
  await emitAll(
    tx,
    rows.map(({ organizationId }) => ({
      type: 'organization.member.removed' as const,
      data: { organizationId, memberId, userId },
    })),
  );
}
