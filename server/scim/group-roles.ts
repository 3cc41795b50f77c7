import { sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { RoleKey } from '#members';
import {
  asAdministrator,
  getOrganization,
  lockOrganization,
  lockOrganizationRoles,
  OrganizationRef,
} from '#organizations';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import { IdSchema, type OrganizationId } from '#platform/ids.ts';
import { newestFirst, type Page, type PageQuery } from '#platform/page.ts';
import { found, problem } from '#platform/problem.ts';
import { Instant } from '#platform/schemas.ts';
import { inScope } from '#platform/scoped.ts';
import { groupsById, groupsOf, memberIdsIn, type ScimGroupId, tellOfGroup } from './groups.ts';
import { membershipsOf } from './memberships.ts';
import { giveGroupRoles } from './users.ts';

/** A group of a directory, as administrators see it. */
export const DirectoryGroup = Type.Object(
  {
    id: IdSchema('scg'),
    name: Type.String(),
    memberCount: Type.Integer(),
    roles: Type.Array(Type.String(), { description: 'The roles in the organization that its members have.' }),
    createdAt: Instant,
    updatedAt: Instant,
  },
  { title: 'DirectoryGroup' },
);
export const GroupRef = Type.Object({ ...OrganizationRef.properties, groupId: IdSchema('scg') });
export const DirectoryGroupRoles = Type.Object(
  { roles: Type.Array(RoleKey, { maxItems: 50, uniqueItems: true }) },
  { additionalProperties: false },
);

/**
 * The groups of an organization's directories, newest first. Served by the primary keys.
 * @throws Problem NOT_FOUND
 */
export async function listDirectoryGroups(
  ctx: Ctx,
  organizationId: OrganizationId,
  { limit, cursor }: Static<typeof PageQuery>,
): Promise<Page<Static<typeof DirectoryGroup>>> {
  await getOrganization(ctx, organizationId);
  const list = JSON.stringify(['directory groups', organizationId]);
  const page = await newestFirst(ctx, groupsOf(ctx, organizationId), { list, limit, cursor });
  const ids = page.rows.map(({ id }) => id);
  return { items: await recordsOf(ctx, organizationId, ids), nextCursor: page.nextCursor };
}

async function recordsOf(ctx: Ctx | TxCtx, organizationId: OrganizationId, ids: readonly ScimGroupId[]) {
  if (ids.length === 0) return [];
  const groups = await groupsOf(ctx, organizationId)
    .where('id', 'in', [...ids])
    .execute();
  const counts = await membershipsOf(ctx, organizationId)
    .select(['group_id', sql<number>`count(*)`.as('count')])
    .where('group_id', 'in', [...ids])
    .groupBy('group_id')
    .execute();
  const countOf = new Map(counts.map(({ group_id: id, count }) => [id, count]));
  const byId = new Map(groups.map((group) => [group.id, group]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    if (!row) return [];
    return [
      {
        id,
        name: String(row.attributes['displayName']),
        memberCount: countOf.get(id) ?? 0,
        roles: row.roles,
        createdAt: row.created_at.toISOString(),
        updatedAt: row.updated_at.toISOString(),
      },
    ];
  });
}

/** @throws Problem NOT_FOUND */
export async function getDirectoryGroup(
  ctx: Ctx | TxCtx,
  { organizationId, groupId }: Static<typeof GroupRef>,
): Promise<Static<typeof DirectoryGroup>> {
  return found((await recordsOf(ctx, organizationId, [groupId]))[0]);
}

/** Checks that the actor may give and take these roles. */
type May = (tx: TxCtx, roles: Awaited<ReturnType<typeof lockOrganizationRoles>>) => Promise<void>;

const mayAsAdministrator: May = (tx, roles) => asAdministrator(tx, 'organization.member.roles.replace', roles);

/**
 * Chooses the roles that a group gives its members in the organization, at once.
 * @throws Problem NOT_FOUND, VALIDATION_FAILED for an unknown role, AUTHORIZATION_DENIED for roles that grant more than
 * the actor has, before or afterwards
 */
export function setGroupRoles(
  ctx: Ctx | TxCtx,
  { organizationId, groupId }: Static<typeof GroupRef>,
  { roles, may = mayAsAdministrator }: { roles: readonly string[]; may?: May },
): Promise<Static<typeof DirectoryGroup>> {
  return transaction(ctx, async (tx) => {
    await lockOrganization(tx, organizationId);
    const [group] = await groupsById(tx, { organizationId }, [groupId]);
    if (!group) throw problem('NOT_FOUND');
    const affected = await lockOrganizationRoles(tx, [...new Set([...roles, ...group.roles])]);
    await may(tx, affected);
    await tx.db
      .updateTable('scim_groups')
      .set({ roles: [...roles].sort(), updated_at: tx.now })
      .where(inScope(tx))
      .where('organization_id', '=', organizationId)
      .where('id', '=', groupId)
      .execute();
    await giveGroupRoles(tx, { organizationId }, memberIdsIn(group.attributes));
    await tellOfGroup(tx, { organizationId }, { ...group, roles: [...roles].sort() }, 'updated');
    return getDirectoryGroup(tx, { organizationId, groupId });
  });
}

/** What set-up links read and change about groups, by the rules of the API. */
export const directoryGroups = { list: listDirectoryGroups, get: getDirectoryGroup, setRoles: setGroupRoles };
