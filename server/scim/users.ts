import type { Selectable } from 'kysely';
import { emit } from '#events';
import { managedMembers } from '#members';
import { directoryMembers, lockOrganization } from '#organizations';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import { isForeignKeyViolation, isUniqueViolation, type Json } from '#platform/db.ts';
import {
  type Id,
  type MemberId,
  newId,
  type OrganizationId,
  type ProjectId,
  type UserId,
  type WorkspaceId,
} from '#platform/ids.ts';
import { acrossProjects, inScope, scopeColumns } from '#platform/scoped.ts';
import { accountOf, admit, endAccess, restoreAccess, updateAccount } from './accounts.ts';
import type { Directory } from './directory.ts';
import { groupsOfUsers } from './memberships.ts';
import { log } from './provisioning-log.ts';
import type { Attributes } from './resource.ts';
import { changedAttributes, type Stored } from './resources.ts';
import { ScimError } from './scim-error.ts';

export type ScimUserId = Id<'scu'>;

type ScimUsersTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  organization_id: OrganizationId;
  id: ScimUserId;
  member_id: MemberId;
  user_id: UserId;
  user_name: string;
  external_id: string | null;
  active: boolean;
  manages_account: boolean;
  group_roles: string[];
  attributes: Json<Attributes>;
  version: number;
  created_at: Date;
  updated_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    scim_users: ScimUsersTable;
  }
}

export type ScimUser = Stored<ScimUserId> & {
  memberId: MemberId;
  userId: UserId;
  active: boolean;
  managesAccount: boolean;
  groupRoles: string[];
};

function userOf(row: Selectable<ScimUsersTable>): ScimUser {
  return {
    id: row.id,
    attributes: row.attributes,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    memberId: row.member_id,
    userId: row.user_id,
    active: row.active,
    managesAccount: row.manages_account,
    groupRoles: row.group_roles,
  };
}

function usersOf(ctx: Ctx | TxCtx, organizationId: OrganizationId) {
  return ctx.db.selectFrom('scim_users').selectAll().where(inScope(ctx)).where('organization_id', '=', organizationId);
}

/** Users by id, in the given order; unknown ids are left out. Served by the primary key. */
export async function usersById(
  ctx: Ctx | TxCtx,
  { organizationId }: Pick<Directory, 'organizationId'>,
  ids: readonly string[],
): Promise<ScimUser[]> {
  const wanted = ids.filter(isUserId);
  if (wanted.length === 0) return [];
  const rows = await usersOf(ctx, organizationId).where('id', 'in', wanted).execute();
  const users = new Map(rows.map((row) => [row.id, userOf(row)]));
  return wanted.flatMap((id) => users.get(id) ?? []);
}

/**
 * What the directories of organizations provide about a person, in all projects of the workspace. Served by
 * scim_users_of_user.
 */
export async function directoryRecordsOf(ctx: Ctx, userId: UserId) {
  const rows = await ctx.db
    .selectFrom('scim_users')
    .selectAll()
    .where(acrossProjects(ctx))
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .execute();
  return rows.map(({ id, organization_id, active, attributes, created_at, updated_at }) => ({
    id,
    organizationId: organization_id,
    active,
    attributes,
    createdAt: created_at.toISOString(),
    updatedAt: updated_at.toISOString(),
  }));
}

export function isUserId(id: string): id is ScimUserId {
  return id.startsWith('scu_');
}

/** @throws ScimError 404 */
export async function getUser(ctx: Ctx | TxCtx, directory: Directory, id: string): Promise<ScimUser> {
  const [user] = await usersById(ctx, directory, [id]);
  if (!user) throw new ScimError(404, `There is no user ${id}.`);
  return user;
}

/**
 * A user, with its member locked before anything of theirs changes, as when a member is removed from the project. The
 * caller has locked the organization.
 * @throws ScimError 404
 */
async function lockUser(tx: TxCtx, directory: Directory, id: string): Promise<ScimUser> {
  const { memberId } = await getUser(tx, directory, id);
  await managedMembers.lock(tx, memberId);
  return getUser(tx, directory, id);
}

/**
 * Locks the members of these users, as {@link lockUser} does.
 * @returns those that exist, in the order of the ids
 */
export async function lockUsers(
  tx: TxCtx,
  directory: Pick<Directory, 'organizationId'>,
  ids: readonly ScimUserId[],
): Promise<ScimUser[]> {
  const users = await usersById(tx, directory, ids);
  await managedMembers.lockAll(
    tx,
    users.map(({ memberId }) => memberId),
  );
  return usersById(tx, directory, ids);
}

function rowOf(attributes: Attributes) {
  const { userName, externalId, active } = attributes;
  return {
    user_name: String(userName).toLowerCase(),
    external_id: typeof externalId === 'string' ? externalId : null,
    active: active !== false,
    attributes: JSON.stringify(attributes),
  };
}

/**
 * Adds a person, who becomes a member of the organization unless `active` is false.
 * @throws ScimError uniqueness, invalidValue; Problem CONFLICT beyond the maximum of members
 */
export function createUser(ctx: Ctx, directory: Directory, attributes: Attributes): Promise<ScimUser> {
  const { organizationId } = directory;
  const account = accountOf(attributes);
  return unique(() =>
    transaction(ctx, async (tx) => {
      await lockOrganization(tx, organizationId);
      const person = await admit(tx, organizationId, account);
      const row = rowOf(attributes);
      const inserted = await tx.db
        .insertInto('scim_users')
        .values({
          ...scopeColumns(tx),
          organization_id: organizationId,
          id: newId('scu', tx.now),
          member_id: person.memberId,
          user_id: person.userId,
          ...row,
          manages_account: person.managesAccount,
          group_roles: [],
          version: 1,
          created_at: tx.now,
          updated_at: tx.now,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      const user = userOf(inserted);
      await emit(tx, 'organization.scim_user.created', subjectOf(directory, user));
      const ended = row.active ? null : await endAccess(tx, { organizationId, ...user }, 'blocked');
      await logUser(tx, directory, user, { action: 'create', detail: detailOf(person.managesAccount, ended) });
      return user;
    }),
  );
}

function detailOf(managesAccount: boolean, ended: string | null): string {
  const account = managesAccount ? 'The account was created.' : 'The account existed, and was not changed.';
  return ended === null ? account : `${account} It is not active (${ended}).`;
}

/**
 * Replaces the attributes of a person. `active` false ends their access at once.
 * @param change makes the new attributes from those before
 * @param version the version that the client expects; null if it expects none
 * @throws ScimError 404, 412, uniqueness, invalidValue
 */
export function changeUser(
  ctx: Ctx,
  directory: Directory,
  { id, version, action }: { id: string; version: number | null; action: 'replace' | 'change' },
  change: (before: Attributes) => Attributes,
): Promise<ScimUser> {
  const { organizationId } = directory;
  return unique(() =>
    transaction(ctx, async (tx) => {
      await lockOrganization(tx, organizationId);
      const before = await lockUser(tx, directory, id);
      requireVersion(before, version);
      const attributes = change(before.attributes);
      const fields = changedAttributes(before.attributes, attributes);
      if (fields.length === 0) return before;
      const row = rowOf(attributes);
      await updateAccount(tx, { organizationId, ...before }, accountOf(before.attributes), accountOf(attributes));
      const updated = await tx.db
        .updateTable('scim_users')
        .set({ ...row, version: before.version + 1, updated_at: tx.now })
        .where(inScope(tx))
        .where('organization_id', '=', organizationId)
        .where('id', '=', before.id)
        .returningAll()
        .executeTakeFirstOrThrow();
      const after = userOf(updated);
      const detail = await changeAccess(tx, directory, before, after);
      await emit(tx, 'organization.scim_user.updated', { ...subjectOf(directory, after), fields });
      await logUser(tx, directory, after, { action, detail, changes: fields });
      return after;
    }),
  );
}

async function changeAccess(
  tx: TxCtx,
  directory: Directory,
  before: ScimUser,
  after: ScimUser,
): Promise<string | null> {
  if (before.active === after.active) return null;
  const { organizationId } = directory;
  if (after.active) {
    const isBack = await restoreAccess(tx, { organizationId, ...after });
    await giveGroupRoles(tx, directory, [after.id]);
    await emit(tx, 'organization.scim_user.activated', subjectOf(directory, after));
    return isBack
      ? 'Activated: a member of the organization again.'
      : 'Activated: left the organization, or was removed from it, and does not come back without an invitation.';
  }
  const account = await endAccess(tx, { organizationId, ...after }, 'blocked');
  await emit(tx, 'organization.scim_user.deactivated', { ...subjectOf(directory, after), account });
  return account === 'blocked'
    ? 'Deactivated: left the organization, and blocked in the project.'
    : 'Deactivated: left the organization, and the sessions in it ended.';
}

/**
 * Removes a person from the directory and the organization. An account that the directory alone decides about leaves the
 * project.
 * @throws ScimError 404, 412
 */
export async function deleteUser(
  ctx: Ctx,
  directory: Directory,
  { id, version }: { id: string; version: number | null },
): Promise<void> {
  await transaction(ctx, async (tx) => {
    const { organizationId } = directory;
    await lockOrganization(tx, organizationId);
    const user = await lockUser(tx, directory, id);
    requireVersion(user, version);
    await tx.db
      .deleteFrom('scim_users')
      .where(inScope(tx))
      .where('organization_id', '=', organizationId)
      .where('id', '=', user.id)
      .execute();
    const account = await endAccess(tx, { organizationId, ...user }, 'removed');
    await emit(tx, 'organization.scim_user.deleted', subjectOf(directory, user));
    const detail = account === 'removed' ? 'Left the project.' : 'Left the organization; the account stays.';
    await logUser(tx, directory, user, { action: 'delete', detail });
  });
}

/**
 * Gives these people the roles of their groups in the organization, and takes those that groups gave before.
 * The caller has locked the organization.
 */
export async function giveGroupRoles(
  tx: TxCtx,
  directory: Pick<Directory, 'organizationId'>,
  ids: readonly ScimUserId[],
): Promise<void> {
  const { organizationId } = directory;
  // A person who is not active is not in the organization, so their roles wait.
  const active = (await lockUsers(tx, directory, ids)).filter((user) => user.active);
  const groups = await groupsOfUsers(tx, organizationId, ids);
  for (const user of active) {
    const given = [...new Set(groups.get(user.id)?.flatMap(({ roles }) => roles))];
    // biome-ignore lint/performance/noAwaitInLoops: one connection; each has sessions of their own to renew
    const groupRoles = await directoryMembers.changeRoles(
      tx,
      { organizationId, ...user },
      { taken: user.groupRoles, given },
    );
    if (JSON.stringify(groupRoles) === JSON.stringify(user.groupRoles)) continue;
    await tx.db
      .updateTable('scim_users')
      .set({ group_roles: groupRoles })
      .where(inScope(tx))
      .where('organization_id', '=', organizationId)
      .where('id', '=', user.id)
      .execute();
  }
}

/** What every event about a person of a directory names. */
function subjectOf({ organizationId }: Directory, { id, userId }: ScimUser) {
  return { organizationId, scimUserId: id, userId };
}

function logUser(
  tx: TxCtx,
  directory: Directory,
  { id, userId, attributes }: ScimUser,
  entry: { action: 'create' | 'replace' | 'change' | 'delete'; detail: string | null; changes?: readonly string[] },
): Promise<void> {
  const name = String(attributes['userName']);
  return log(tx, directory, {
    ...entry,
    resourceType: 'User',
    resourceId: id,
    userId,
    name,
    outcome: 'applied',
  });
}

/** @throws ScimError 412 */
export function requireVersion({ version }: Pick<Stored, 'version'>, known: number | null): void {
  if (known !== null && known !== version)
    throw new ScimError(412, `The resource has changed: its version is ${version}, not ${known}.`);
}

async function unique<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error, 'scim_users_name'))
      throw new ScimError(409, 'Another user has this userName.', 'uniqueness');
    if (isUniqueViolation(error, 'scim_users_member'))
      throw new ScimError(409, 'Another user has this email address.', 'uniqueness');
    if (isForeignKeyViolation(error))
      throw new ScimError(409, 'This person is being removed from the project. Send the request again.');
    throw error;
  }
}
