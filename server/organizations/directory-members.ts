import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { MemberId, OrganizationId, UserId } from '#platform/ids.ts';
import { inScope } from '#platform/scoped.ts';
import { deleteMembership, replaceRoles } from './organization-members.ts';
import { lockKnownRoles } from './organization-roles.ts';

type Who = { organizationId: OrganizationId; memberId: MemberId; userId: UserId };

/** The roles of a member in an organization; undefined if they are not in it. Served by the primary key. */
export async function rolesInOrganization(
  ctx: Ctx | TxCtx,
  { organizationId, memberId }: Omit<Who, 'userId'>,
): Promise<string[] | undefined> {
  const row = await ctx.db
    .selectFrom('organization_members')
    .select('roles')
    .where(inScope(ctx))
    .where('organization_id', '=', organizationId)
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  return row?.roles;
}

/**
 * Replaces the roles `taken`, which a directory gave a member earlier, by the roles `given`. The member keeps all other
 * roles. Skips roles that were deleted.
 * The caller has locked the organization.
 * @returns the roles that the member has from the directory alone, sorted
 */
async function changeDirectoryRoles(
  tx: TxCtx,
  who: Who,
  { taken, given }: { taken: readonly string[]; given: readonly string[] },
): Promise<string[]> {
  const before = await rolesInOrganization(tx, who);
  if (!before) return [];
  const known = (await lockKnownRoles(tx, given)).map(({ key }) => key);
  const kept = before.filter((key) => !taken.includes(key));
  const added = known.filter((key) => !kept.includes(key)).sort();
  const after = [...kept, ...added].sort();
  if (JSON.stringify(after) !== JSON.stringify([...before].sort())) await replaceRoles(tx, who, after);
  return added;
}

/**
 * Removes a member from an organization, even its last owner, because a person who left the company must not keep access.
 * The caller has locked the organization.
 */
async function removeByDirectory(tx: TxCtx, who: Who): Promise<void> {
  if (await rolesInOrganization(tx, who)) await deleteMembership(tx, who, { byDirectory: true });
}

/**
 * Whether a directory may make a person a member: they are in the organization, never left it, or the directory removed
 * them. People who left by themselves, or whom others removed, come back by an invitation. Served by primary keys.
 */
async function mayReturn(tx: TxCtx, { organizationId, memberId }: Omit<Who, 'userId'>): Promise<boolean> {
  if (await rolesInOrganization(tx, { organizationId, memberId })) return true;
  const departure = await tx.db
    .selectFrom('organization_departures')
    .select('by_directory as byDirectory')
    .where(inScope(tx))
    .where('organization_id', '=', organizationId)
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  return departure?.byDirectory !== false;
}

/** What only the directory of an organization does, and its connections. */
export const directoryMembers = { changeRoles: changeDirectoryRoles, remove: removeByDirectory, mayReturn };
