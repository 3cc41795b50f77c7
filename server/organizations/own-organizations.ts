import { sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { lockEnvironment } from '#environments';
import { accessOf } from '#members';
import { maximumOf, requireOrganizationRoom } from '#organization-limits';
import { type Ctx, customerOf, type TxCtx, transaction } from '#platform/ctx.ts';
import { IdSchema, type MemberId, type OrganizationId } from '#platform/ids.ts';
import { newestFirst, type Page, type PageQuery } from '#platform/page.ts';
import { found, problem } from '#platform/problem.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { acrossProjects, inScope } from '#platform/scoped.ts';
import { insertMembership, leaveOrganization } from './organization-members.ts';
import { ORGANIZATION_OWNER, permissionsOfRoles } from './organization-roles.ts';
import { createOrganization, NewOrganization, Organization, OrganizationChanges } from './organizations.ts';

/** An organization as its member sees it. */
export const OwnOrganization = Type.Object(
  {
    id: IdSchema('org'),
    name: Type.String(),
    slug: nullable(Type.String()),
    status: Organization.properties.status,
    roles: Type.Array(Type.String(), { description: 'My roles in it.' }),
    permissions: Type.Array(Type.String(), { description: 'What these roles grant in it.' }),
    joinedAt: Instant,
  },
  { title: 'OwnOrganization' },
);
export type OwnOrganization = Static<typeof OwnOrganization>;

const { name, slug } = NewOrganization.properties;
export const OwnOrganizationChanges = Type.Pick(OrganizationChanges, ['name', 'slug', 'invitesVerifiedDomainsOnly'], {
  additionalProperties: false,
  minProperties: 1,
});
export const NewOwnOrganization = Type.Object({ name, slug }, { additionalProperties: false });

/** Organizations with the memberships of some members, in every project of the realm. */
function withMemberships(ctx: Ctx | TxCtx, memberIds: readonly MemberId[]) {
  return ctx.db
    .selectFrom('organization_members as m')
    .innerJoin('organizations as o', (join) =>
      join
        .onRef('o.workspace_id', '=', 'm.workspace_id')
        .onRef('o.project_id', '=', 'm.project_id')
        .onRef('o.environment', '=', 'm.environment')
        .onRef('o.id', '=', 'm.organization_id'),
    )
    .where(acrossProjects(ctx, 'm'))
    .where('m.member_id', '=', sql<MemberId>`any(${[...memberIds]})`)
    .select([
      'o.project_id as projectId',
      'o.id',
      'o.name',
      'o.slug',
      'o.status',
      'm.roles',
      'm.created_at',
      'm.member_id as memberId',
    ]);
}

/** The organizations of these members, for exports. Served by organizations_of_member. */
export async function organizationsOf(ctx: Ctx, memberIds: readonly MemberId[]) {
  const rows = await withMemberships(ctx, memberIds).orderBy('o.id', 'desc').execute();
  return rows.map(({ created_at, ...row }) => ({ ...row, joinedAt: created_at.toISOString() }));
}

/** The signed-in person's organizations in the project of the session, newest first. */
export async function listOwnOrganizations(
  ctx: Ctx,
  { limit, cursor }: Static<typeof PageQuery>,
): Promise<Page<OwnOrganization>> {
  const memberId = await ownMemberId(ctx);
  const query = withMemberships(ctx, [memberId]);
  const page = await newestFirst(ctx, query, { list: `organizations of ${memberId}`, limit, cursor, by: 'o.id' });
  return { items: await recordsOf(ctx, page.rows), nextCursor: page.nextCursor };
}

/** @throws Problem NOT_FOUND, also for an organization that the person is not in */
export async function getOwnOrganization(ctx: Ctx | TxCtx, id: OrganizationId): Promise<OwnOrganization> {
  return found(await membershipIn(ctx, id, await ownMemberId(ctx)));
}

/** An organization as one of its members sees it. */
export async function membershipIn(
  ctx: Ctx | TxCtx,
  id: OrganizationId,
  memberId: MemberId,
): Promise<OwnOrganization | undefined> {
  const rows = await withMemberships(ctx, [memberId]).where('o.id', '=', id).execute();
  return (await recordsOf(ctx, rows))[0];
}

type Row = Awaited<ReturnType<ReturnType<typeof withMemberships>['execute']>>[number];

async function recordsOf(ctx: Ctx | TxCtx, rows: readonly Row[]): Promise<OwnOrganization[]> {
  const permissionsOf = await permissionsOfRoles(ctx);
  return rows.map(({ projectId: _, memberId: _member, created_at, ...row }) => ({
    ...row,
    permissions: permissionsOf(row.roles),
    joinedAt: created_at.toISOString(),
  }));
}

/**
 * The signed-in person adds an organization and becomes its owner.
 * @throws Problem ORGANIZATIONS_CLOSED where members add none, ALREADY_EXISTS, CONFLICT beyond a maximum
 */
export function createOwnOrganization(
  ctx: Ctx,
  organization: Static<typeof NewOwnOrganization>,
): Promise<OwnOrganization> {
  return transaction(ctx, async (tx) => {
    const memberId = await ownMemberId(tx);
    await requireOwnRoom(tx, memberId);
    const { id } = await createOrganization(tx, organization);
    const { userId } = customerOf(tx);
    await insertMembership(tx, { organizationId: id, memberId, userId }, [ORGANIZATION_OWNER]);
    return getOwnOrganization(tx, id);
  });
}

/** Serializes additions to the project environment, so that the maximum is exact. */
async function requireOwnRoom(tx: TxCtx, memberId: MemberId): Promise<void> {
  if ((await maximumOf(tx, 'ownOrganizations')) === 0) throw problem('ORGANIZATIONS_CLOSED');
  await lockEnvironment(tx);
  const { current } = await tx.db
    .selectFrom('organization_members')
    .where(inScope(tx))
    .where('member_id', '=', memberId)
    .where(sql<boolean>`${ORGANIZATION_OWNER} = any(roles)`)
    .select((eb) => eb.fn.countAll<number>().as('current'))
    .executeTakeFirstOrThrow();
  await requireOrganizationRoom(tx, 'ownOrganizations', current);
}

/** @throws Problem NOT_FOUND, LAST_OWNER */
export async function leaveOwnOrganization(ctx: Ctx, organizationId: OrganizationId): Promise<void> {
  await leaveOrganization(ctx, { organizationId, memberId: await ownMemberId(ctx) });
}

/** @throws Problem MEMBERSHIP_REQUIRED, MEMBER_BLOCKED */
async function ownMemberId(ctx: Ctx | TxCtx): Promise<MemberId> {
  const { memberId, status } = await accessOf(ctx, customerOf(ctx).userId);
  if (status === 'blocked') throw problem('MEMBER_BLOCKED');
  if (memberId === null || status !== 'active') throw problem('MEMBERSHIP_REQUIRED');
  return memberId;
}
