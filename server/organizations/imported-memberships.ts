import { sql } from 'kysely';
import { emitAll } from '#events';
import { maximumOf } from '#organization-limits';
import type { TxCtx } from '#platform/ctx.ts';
import type { MemberId, OrganizationId, UserId } from '#platform/ids.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';

type ImportedMembership = {
  organizationId: OrganizationId;
  memberId: MemberId;
  userId: UserId;
  roles: readonly string[];
};

/** An organization that rows of an import name. */
type NamedOrganization = { id: OrganizationId; free: number };

/**
 * Locks the organizations that rows name by id or slug, so that the maximum of members is exact.
 * @returns by id and by slug: the organization with the number of members that it may still get
 */
async function lock(tx: TxCtx, named: readonly string[]): Promise<Map<string, NamedOrganization>> {
  if (named.length === 0) return new Map();
  const wanted = sql<string>`any(${[...named]})`;
  const rows = await tx.db
    .selectFrom('organizations')
    .select(['id', 'slug'])
    .where(inScope(tx))
    .where((eb) => eb.or([eb(sql<string>`id`, '=', wanted), eb('slug', '=', wanted)]))
    .orderBy('id')
    .forUpdate()
    .execute();
  const counts = await tx.db
    .selectFrom('organization_members')
    .select(['organization_id as id', (eb) => eb.fn.countAll<number>().as('count')])
    .where(inScope(tx))
    .where('organization_id', '=', sql<OrganizationId>`any(${rows.map(({ id }) => id)})`)
    .groupBy('organization_id')
    .execute();
  const maximum = await maximumOf(tx, 'members');
  const countOf = new Map(counts.map(({ id, count }) => [id, count]));
  return new Map(
    rows.flatMap(({ id, slug }) => {
      const organization = { id, free: maximum - (countOf.get(id) ?? 0) };
      return [id, ...(slug === null ? [] : [slug])].map((name) => [name, organization] as const);
    }),
  );
}

/**
 * Which of these members are in which of these organizations already, as `<organization> <member>`. Served by
 * organizations_of_member.
 */
async function existing(
  tx: TxCtx,
  organizations: readonly OrganizationId[],
  members: readonly MemberId[],
): Promise<Set<string>> {
  if (organizations.length === 0 || members.length === 0) return new Set();
  const rows = await tx.db
    .selectFrom('organization_members')
    .select(['organization_id', 'member_id'])
    .where(inScope(tx))
    .where('member_id', '=', sql<MemberId>`any(${[...members]})`)
    .where('organization_id', '=', sql<OrganizationId>`any(${[...organizations]})`)
    .execute();
  return new Set(rows.map((row) => `${row.organization_id} ${row.member_id}`));
}

/** Adds new memberships, with an event for each. The caller has locked the organizations. */
async function insert(tx: TxCtx, memberships: readonly ImportedMembership[]): Promise<void> {
  if (memberships.length === 0) return;
  const sorted = memberships.map(({ roles, ...who }) => ({ ...who, roles: [...roles].sort() }));
  const scope = scopeColumns(tx);
  await sql`insert into organization_members
      (workspace_id, project_id, environment, organization_id, member_id, roles, created_at)
    select ${scope.workspace_id}, ${scope.project_id}, ${scope.environment}, organization_id, member_id,
      array(select jsonb_array_elements_text(roles)), ${tx.now}
    from unnest(${sorted.map(({ organizationId }) => organizationId)}::text[], ${sorted.map(({ memberId }) => memberId)}::text[],
      ${sorted.map(({ roles }) => JSON.stringify(roles))}::jsonb[]) as membership (organization_id, member_id, roles)`.execute(
    tx.db,
  );
  await emitAll(
    tx,
    sorted.map((data) => ({ type: 'organization.member.added' as const, data })),
  );
}

/** Memberships that an import adds, many at once: a fixed number of statements. */
export const importedMemberships = { lock, existing, insert };
