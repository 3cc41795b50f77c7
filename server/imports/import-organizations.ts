import { authorityNow } from '#members';
import { importedMemberships, lockKnownRoles, ownPermissions } from '#organizations';
import type { TxCtx } from '#platform/ctx.ts';
import type { MemberId, OrganizationId } from '#platform/ids.ts';
import type { ReadRow } from './import-rows.ts';
import type { RowResult } from './imports.ts';

type Faults = RowResult['errors'];

/** An organization that a row joins. */
export type Joined = { organizationId: OrganizationId; roles: readonly string[] };

/** What the rows of a chunk need to know about the organizations that they name. */
export type KnownOrganizations = {
  /** By id and slug. `free` counts down as rows are planned. */
  named: ReadonlyMap<string, { id: OrganizationId; free: number }>;
  roles: ReadonlyMap<string, 'allowed' | 'denied'>;
  /** As `<organization> <member>`; rows of the chunk are added as they are planned. */
  memberships: Set<string>;
  /** Whether the import's creator may add members to organizations. */
  allowed: boolean;
};

/** Locks the organizations and roles that rows name. Runs no statement if they name none. */
export async function lockOrganizationsOf(
  tx: TxCtx,
  rows: readonly ReadRow[],
): Promise<Omit<KnownOrganizations, 'memberships'>> {
  const wanted = rows.flatMap(({ record }) => record.organizations ?? []);
  if (wanted.length === 0) return { named: new Map(), roles: new Map(), allowed: true };
  const named = await importedMemberships.lock(tx, [...new Set(wanted.map(({ organization }) => organization))]);
  const may = await authorityNow(tx, tx.actor, 'organization.member.add');
  const known = await lockKnownRoles(tx, [...new Set(wanted.flatMap(({ roles = [] }) => roles))]);
  const roles = known.map(
    ({ key, permissions }) => [key, may?.covers(ownPermissions(permissions)) ? 'allowed' : 'denied'] as const,
  );
  return { named, roles: new Map(roles), allowed: may !== null };
}

/** The memberships that members have already in these organizations. */
export function membershipsOf(
  tx: TxCtx,
  { named }: Pick<KnownOrganizations, 'named'>,
  members: readonly MemberId[],
): Promise<Set<string>> {
  return importedMemberships.existing(tx, [...new Set([...named.values()].map(({ id }) => id))], members);
}

/**
 * Plans the memberships of a row. A member of an organization stays as they are.
 * @returns those to add, and the faults of the row
 */
export function planOrganizations(
  { record: { organizations = [] } }: ReadRow,
  memberId: MemberId,
  known: KnownOrganizations,
): { joins: Joined[]; errors: Faults } {
  if (organizations.length > 0 && !known.allowed)
    return { joins: [], errors: [fault('', 'the person who started the import may not add members to organizations')] };
  const joins: Joined[] = [];
  const errors: Faults = [];
  for (const [at, { organization, roles = [] }] of organizations.entries()) {
    const found = known.named.get(organization);
    const place = `/organizations/${at}`;
    errors.push(...roles.flatMap((key) => faultOfRole(`${place}/roles`, key, known.roles.get(key))));
    if (!found) errors.push(fault(`${place}/organization`, `"${organization}" is not an organization of this project`));
    else if (joins.some(({ organizationId }) => organizationId === found.id))
      errors.push(fault(`${place}/organization`, `"${organization}" is named twice`));
    else if (!known.memberships.has(`${found.id} ${memberId}`)) {
      if (found.free <= 0)
        errors.push(fault(`${place}/organization`, `"${organization}" has no room for another member`));
      joins.push({ organizationId: found.id, roles });
    }
  }
  return { joins: errors.length > 0 ? [] : joins, errors };
}

/** Counts the planned memberships of a row, for the rows after it. */
export function countOrganizations(joins: readonly Joined[], memberId: MemberId, known: KnownOrganizations): void {
  const byId = new Map([...known.named.values()].map((organization) => [organization.id, organization]));
  for (const { organizationId } of joins) {
    known.memberships.add(`${organizationId} ${memberId}`);
    const organization = byId.get(organizationId);
    if (organization) organization.free -= 1;
  }
}

function faultOfRole(pointer: string, key: string, role: 'allowed' | 'denied' | undefined): Faults {
  if (role === undefined) return [fault(pointer, `"${key}" is not a role of organizations`)];
  return role === 'allowed' ? [] : [fault(pointer, `"${key}" grants permissions that the importer does not have`)];
}

function fault(pointer: string, message: string): Faults[number] {
  return { pointer, message };
}
