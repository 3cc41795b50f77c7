import type { Selectable } from 'kysely';
import { emit } from '#events';
import { limitFault } from '#organization-limits';
import { lockOrganization } from '#organizations';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import { isUniqueViolation, type Json } from '#platform/db.ts';
import { type Id, newId, type OrganizationId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import type { Directory } from './directory.ts';
import { membershipsOf } from './memberships.ts';
import { type Action, log } from './provisioning-log.ts';
import { type Attributes, isRecord } from './resource.ts';
import { changedAttributes, type Stored } from './resources.ts';
import { invalid, ScimError } from './scim-error.ts';
import { giveGroupRoles, isUserId, lockUsers, requireVersion, type ScimUserId } from './users.ts';

export type ScimGroupId = Id<'scg'>;

type ScimGroupsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  organization_id: OrganizationId;
  id: ScimGroupId;
  name: string;
  external_id: string | null;
  roles: string[];
  attributes: Json<Attributes>;
  version: number;
  created_at: Date;
  updated_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    scim_groups: ScimGroupsTable;
  }
}

export type ScimGroup = Stored<ScimGroupId> & { roles: string[] };

function groupOf(row: Selectable<ScimGroupsTable>, memberIds: readonly ScimUserId[]): ScimGroup {
  const members = memberIds.map((value) => ({ value }));
  return {
    id: row.id,
    attributes: { ...row.attributes, ...(members.length > 0 && { members }) },
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    roles: row.roles,
  };
}

export function groupsOf(ctx: Ctx | TxCtx, organizationId: OrganizationId) {
  return ctx.db.selectFrom('scim_groups').selectAll().where(inScope(ctx)).where('organization_id', '=', organizationId);
}

function isGroupId(id: string): id is ScimGroupId {
  return id.startsWith('scg_');
}

/** Groups by id with their members, in the given order; unknown ids are left out. Served by the primary keys. */
export async function groupsById(
  ctx: Ctx | TxCtx,
  { organizationId }: Pick<Directory, 'organizationId'>,
  ids: readonly string[],
): Promise<ScimGroup[]> {
  const wanted = ids.filter(isGroupId);
  if (wanted.length === 0) return [];
  const rows = await groupsOf(ctx, organizationId).where('id', 'in', wanted).execute();
  const members = await membershipsOf(ctx, organizationId)
    .select(['group_id', 'scim_user_id'])
    .where('group_id', 'in', wanted)
    .orderBy('scim_user_id')
    .execute();
  const byGroup = Map.groupBy(members, (member) => member.group_id);
  const groups = new Map(
    rows.map((row) => [
      row.id,
      groupOf(
        row,
        (byGroup.get(row.id) ?? []).map((member) => member.scim_user_id),
      ),
    ]),
  );
  return wanted.flatMap((id) => groups.get(id) ?? []);
}

/** @throws ScimError 404 */
export async function getGroup(ctx: Ctx | TxCtx, directory: Directory, id: string): Promise<ScimGroup> {
  const [group] = await groupsById(ctx, directory, [id]);
  if (!group) throw new ScimError(404, `There is no group ${id}.`);
  return group;
}

function rowOf({ members: _members, ...attributes }: Attributes) {
  const { displayName, externalId } = attributes;
  return {
    name: String(displayName).toLowerCase(),
    external_id: typeof externalId === 'string' ? externalId : null,
    attributes: JSON.stringify(attributes),
  };
}

/** @throws ScimError invalidValue for an id that no user can have */
export function memberIdsIn({ members }: Attributes): ScimUserId[] {
  const values = Array.isArray(members) ? members.filter(isRecord).map(({ value }) => String(value)) : [];
  const unknown = values.find((value) => !isUserId(value));
  if (unknown !== undefined) throw invalid('invalidValue', `There is no user ${unknown}.`);
  return [...new Set(values.filter(isUserId))];
}

/**
 * Adds a group. It gives no roles until an administrator chooses some.
 * @throws ScimError uniqueness, invalidValue for an unknown member
 */
export function createGroup(ctx: Ctx, directory: Directory, attributes: Attributes): Promise<ScimGroup> {
  const { organizationId } = directory;
  return unique(() =>
    transaction(ctx, async (tx) => {
      await lockOrganization(tx, organizationId);
      await requireRoom(tx, organizationId);
      const { id } = await tx.db
        .insertInto('scim_groups')
        .values({
          ...scopeColumns(tx),
          organization_id: organizationId,
          id: newId('scg', tx.now),
          ...rowOf(attributes),
          roles: [],
          version: 1,
          created_at: tx.now,
          updated_at: tx.now,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      await addMembers(tx, directory, { id, members: memberIdsIn(attributes) });
      const group = await getGroup(tx, directory, id);
      await tellOfGroup(tx, directory, group, 'created');
      await logGroup(tx, directory, group, { action: 'create' });
      return group;
    }),
  );
}

async function requireRoom(tx: TxCtx, organizationId: OrganizationId): Promise<void> {
  const { count } = await tx.db
    .selectFrom('scim_groups')
    .where(inScope(tx))
    .where('organization_id', '=', organizationId)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const fault = await limitFault(tx, 'directoryGroups', count);
  if (fault) throw new ScimError(409, fault.detail);
}

/** @throws ScimError invalidValue for an unknown user */
async function addMembers(
  tx: TxCtx,
  directory: Directory,
  { id, members }: { id: ScimGroupId; members: readonly ScimUserId[] },
): Promise<void> {
  if (members.length === 0) return;
  const known = new Set((await lockUsers(tx, directory, members)).map((user) => user.id));
  const unknown = members.find((member) => !known.has(member));
  if (unknown !== undefined) throw invalid('invalidValue', `There is no user ${unknown}.`);
  await tx.db
    .insertInto('scim_group_members')
    .values(
      members.map((member) => ({
        ...scopeColumns(tx),
        organization_id: directory.organizationId,
        group_id: id,
        scim_user_id: member,
      })),
    )
    .execute();
}

/**
 * Replaces the attributes and members of a group; people who enter or leave it get or lose its roles at once.
 * @throws ScimError 404, 412, uniqueness, invalidValue
 */
export function changeGroup(
  ctx: Ctx,
  directory: Directory,
  { id, version, action }: { id: string; version: number | null; action: 'replace' | 'change' },
  change: (before: Attributes) => Attributes,
): Promise<ScimGroup> {
  const { organizationId } = directory;
  return unique(() =>
    transaction(ctx, async (tx) => {
      await lockOrganization(tx, organizationId);
      const before = await getGroup(tx, directory, id);
      requireVersion(before, version);
      const attributes = change(before.attributes);
      const membersBefore = memberIdsIn(before.attributes);
      const members = memberIdsIn(attributes).sort();
      const fields = changedAttributes({ ...before.attributes, members: membersBefore }, { ...attributes, members });
      if (fields.length === 0) return before;
      await tx.db
        .updateTable('scim_groups')
        .set({ ...rowOf(attributes), version: before.version + 1, updated_at: tx.now })
        .where(inScope(tx))
        .where('organization_id', '=', organizationId)
        .where('id', '=', before.id)
        .execute();
      const entered = members.filter((member) => !membersBefore.includes(member));
      const left = membersBefore.filter((member) => !members.includes(member));
      await removeMembers(tx, organizationId, { id: before.id, members: left });
      await addMembers(tx, directory, { id: before.id, members: entered });
      if (before.roles.length > 0) await giveGroupRoles(tx, directory, [...entered, ...left]);
      const after = await getGroup(tx, directory, id);
      await tellOfGroup(tx, directory, after, 'updated');
      await logGroup(tx, directory, after, { action, changes: fields, detail: movesOf(entered.length, left.length) });
      return after;
    }),
  );
}

function movesOf(entered: number, left: number): string | null {
  return entered + left === 0 ? null : `Members: ${entered} added, ${left} removed.`;
}

async function removeMembers(
  tx: TxCtx,
  organizationId: OrganizationId,
  { id, members }: { id: ScimGroupId; members: readonly ScimUserId[] },
): Promise<void> {
  if (members.length === 0) return;
  await tx.db
    .deleteFrom('scim_group_members')
    .where(inScope(tx))
    .where('organization_id', '=', organizationId)
    .where('group_id', '=', id)
    .where('scim_user_id', 'in', [...members])
    .execute();
}

/**
 * Removes a group; its members lose its roles at once.
 * @throws ScimError 404, 412
 */
export async function deleteGroup(
  ctx: Ctx,
  directory: Directory,
  { id, version }: { id: string; version: number | null },
): Promise<void> {
  await transaction(ctx, async (tx) => {
    const { organizationId } = directory;
    await lockOrganization(tx, organizationId);
    const group = await getGroup(tx, directory, id);
    requireVersion(group, version);
    await tx.db
      .deleteFrom('scim_groups')
      .where(inScope(tx))
      .where('organization_id', '=', organizationId)
      .where('id', '=', group.id)
      .execute();
    await giveGroupRoles(tx, directory, memberIdsIn(group.attributes));
    await tellOfGroup(tx, directory, group, 'deleted');
    await logGroup(tx, directory, group, { action: 'delete' });
  });
}

export async function tellOfGroup(
  tx: TxCtx,
  { organizationId }: Pick<Directory, 'organizationId'>,
  group: ScimGroup,
  what: 'created' | 'updated' | 'deleted',
): Promise<void> {
  const data = { organizationId, scimGroupId: group.id, name: String(group.attributes['displayName']) };
  if (what === 'updated') await emit(tx, 'organization.scim_group.updated', { ...data, roles: group.roles });
  else await emit(tx, `organization.scim_group.${what}`, data);
}

function logGroup(
  tx: TxCtx,
  directory: Directory,
  { id, attributes }: ScimGroup,
  { action, detail = null, changes = [] }: { action: Action; detail?: string | null; changes?: readonly string[] },
): Promise<void> {
  const name = String(attributes['displayName']);
  return log(tx, directory, {
    action,
    resourceType: 'Group',
    resourceId: id,
    name,
    outcome: 'applied',
    detail,
    changes,
  });
}

async function unique<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw isUniqueViolation(error, 'scim_groups_name')
      ? new ScimError(409, 'Another group has this displayName.', 'uniqueness')
      : error;
  }
}
