import { sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { emit } from '#events';
import { accessOf } from '#members';
import { type Ctx, customerOf, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import {
  IdSchema,
  type MemberId,
  type OrganizationId,
  type ProjectId,
  type UserId,
  type WorkspaceId,
} from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { nullable } from '#platform/schemas.ts';
import { acrossProjects, inScope, scopeColumns } from '#platform/scoped.ts';
import { standingIn } from '#platform/standing.ts';

type DefaultOrganizationsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  member_id: MemberId;
  organization_id: OrganizationId;
};

declare module '#platform/db.ts' {
  interface Tables {
    default_organizations: DefaultOrganizationsTable;
  }
}

export const DefaultOrganization = Type.Object(
  {
    organizationId: nullable({
      ...IdSchema('org'),
      description:
        'Entered at applications with `usesDefaultOrganization` when a sign-in names no organization; null: none.',
    }),
  },
  { title: 'DefaultOrganization', additionalProperties: false },
);
type DefaultOrganization = Static<typeof DefaultOrganization>;

/** The default organization of a person in `ctx.scope`'s project, whose membership may be blocked. Served by the primary key. */
export async function defaultOrganizationOf(ctx: Ctx | TxCtx, userId: UserId): Promise<OrganizationId | null> {
  const { memberId } = await accessOf(ctx, userId);
  if (memberId === null) return null;
  const row = await ctx.db
    .selectFrom('default_organizations')
    .select('organization_id')
    .where(inScope(ctx))
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  return row?.organization_id ?? null;
}

/** The default organizations of these members, in every project of the realm; for the export of a person's data. */
export async function defaultOrganizationsOf(ctx: Ctx, memberIds: readonly MemberId[]): Promise<OrganizationId[]> {
  const rows = await ctx.db
    .selectFrom('default_organizations')
    .select('organization_id')
    .where(acrossProjects(ctx))
    .where('member_id', '=', sql<MemberId>`any(${[...memberIds]})`)
    .execute();
  return rows.map(({ organization_id: id }) => id);
}

export async function ownDefaultOrganization(ctx: Ctx): Promise<DefaultOrganization> {
  return { organizationId: await defaultOrganizationOf(ctx, customerOf(ctx).userId) };
}

/**
 * The signed-in person chooses their default organization in the project of the session, or none. The choice gives no
 * access: admission decides each time whether they enter it.
 * @throws Problem MEMBERSHIP_REQUIRED, MEMBER_BLOCKED, NOT_FOUND for an organization that they are not in,
 * ORGANIZATION_BLOCKED
 */
export function chooseDefaultOrganization(
  ctx: Ctx,
  { organizationId }: DefaultOrganization,
): Promise<DefaultOrganization> {
  return transaction(ctx, async (tx) => {
    const { userId } = customerOf(tx);
    const { memberId, status } = await accessOf(tx, userId);
    if (status === 'blocked') throw problem('MEMBER_BLOCKED');
    if (memberId === null || status !== 'active') throw problem('MEMBERSHIP_REQUIRED');
    if (organizationId === null)
      await tx.db.deleteFrom('default_organizations').where(inScope(tx)).where('member_id', '=', memberId).execute();
    else await write(tx, { organizationId, memberId, userId });
    await emit(tx, 'organization.default.changed', { organizationId, memberId, userId });
    return { organizationId };
  });
}

/** `standingIn` locks the membership until the commit, so that its end also removes the default. */
async function write(
  tx: TxCtx,
  { organizationId, memberId, userId }: { organizationId: OrganizationId; memberId: MemberId; userId: UserId },
): Promise<void> {
  const standing = await standingIn(tx, { organizationId, userId });
  if (!standing) throw problem('NOT_FOUND');
  if (standing.status === 'blocked') throw problem('ORGANIZATION_BLOCKED');
  await tx.db
    .insertInto('default_organizations')
    .values({ ...scopeColumns(tx), member_id: memberId, organization_id: organizationId })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'project_id', 'environment', 'member_id'])
        .doUpdateSet({ organization_id: organizationId }),
    )
    .execute();
}
