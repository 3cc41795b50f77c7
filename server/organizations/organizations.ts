import { type ColumnType, type Generated, type Selectable, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { lockEnvironment } from '#environments';
import { emit } from '#events';
import { requireOrganizationRoom } from '#organization-limits';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import { isUniqueViolation, type Json } from '#platform/db.ts';
import { folded } from '#platform/folded.ts';
import { IdSchema, newId, type OrganizationId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { newestFirst, type Page, PageQuery } from '#platform/page.ts';
import { found, problem } from '#platform/problem.ts';
import { Metadata, requireSmall } from '#platform/profile-fields.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import { changeOrganizationSessions } from '#sessions';
import type { OrganizationPolicy } from './policies.ts';

const OrganizationStatus = Type.Enum(['active', 'blocked']);
type OrganizationStatus = Static<typeof OrganizationStatus>;

type OrganizationsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  id: OrganizationId;
  name: string;
  slug: string | null;
  status: OrganizationStatus;
  metadata: Json<Record<string, unknown>>;
  policy: ColumnType<Partial<OrganizationPolicy>, string | undefined, string>;
  invites_verified_domains_only: Generated<boolean>;
  /** The searchable fields. */
  search: string;
  created_at: Date;
  updated_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    organizations: OrganizationsTable;
  }
}

const fields = {
  name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
  slug: Type.String({
    minLength: 2,
    maxLength: 63,
    pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
    description: 'Identifies the organization in addresses; unique in the project and environment.',
    examples: ['acme'],
  }),
  metadata: Metadata,
  invitesVerifiedDomainsOnly: Type.Boolean({
    description: 'Only addresses at its verified mail domains are invited to the organization.',
  }),
};

export const Organization = Type.Object(
  {
    id: IdSchema('org'),
    name: Type.String(),
    slug: nullable(Type.String()),
    status: OrganizationStatus,
    metadata: Type.Record(Type.String(), Type.Unknown()),
    invitesVerifiedDomainsOnly: fields.invitesVerifiedDomainsOnly,
    createdAt: Instant,
    updatedAt: Instant,
  },
  { title: 'Organization' },
);
export type Organization = Static<typeof Organization>;

export const NewOrganization = Type.Object(
  { name: fields.name, slug: Type.Optional(fields.slug), metadata: Type.Optional(fields.metadata) },
  { additionalProperties: false },
);
export const OrganizationChanges = Type.Partial(Type.Object({ ...fields, slug: nullable(fields.slug) }), {
  additionalProperties: false,
  minProperties: 1,
});
export const OrganizationRef = Type.Object({ organizationId: IdSchema('org') });
export const OrganizationQuery = Type.Object({
  ...PageQuery.properties,
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Part of the name or slug, regardless of case and accents.',
    }),
  ),
  status: Type.Optional(OrganizationStatus),
  memberId: Type.Optional(IdSchema('mem')),
});

function searchTextOf({ name, slug }: Pick<Organization, 'name' | 'slug'>): string {
  return `${folded(name)}\n${slug ?? ''}`;
}

function recordOf(row: Omit<Selectable<OrganizationsTable>, 'search' | 'policy'>): Organization {
  const { id, name, slug, status, metadata } = row;
  return {
    id,
    name,
    slug,
    status,
    metadata,
    invitesVerifiedDomainsOnly: row.invites_verified_domains_only,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

/**
 * The organizations of a project environment, newest first. Served by the primary key; those of a member by
 * organizations_of_member.
 */
export async function listOrganizations(
  ctx: Ctx,
  { limit, cursor, q, status, memberId }: Static<typeof OrganizationQuery>,
): Promise<Page<Organization>> {
  let query = ctx.db.selectFrom('organizations').selectAll().where(inScope(ctx));
  if (status !== undefined) query = query.where('status', '=', status);
  if (q !== undefined) query = query.where(sql<boolean>`position(${folded(q)} in search) > 0`);
  if (memberId !== undefined)
    query = query.where('id', 'in', (eb) =>
      eb
        .selectFrom('organization_members')
        .select('organization_id')
        .where(inScope(ctx))
        .where('member_id', '=', memberId),
    );
  const list = JSON.stringify(['organizations', q, status, memberId]);
  const page = await newestFirst(ctx, query, { list, limit, cursor });
  return { items: page.rows.map(recordOf), nextCursor: page.nextCursor };
}

/** @throws Problem NOT_FOUND */
export async function getOrganization(ctx: Ctx | TxCtx, id: OrganizationId): Promise<Organization> {
  const query = ctx.db.selectFrom('organizations').selectAll().where(inScope(ctx)).where('id', '=', id);
  return recordOf(found(await query.executeTakeFirst()));
}

/** The names of these organizations. Served by the primary key. */
export async function organizationNames(
  ctx: Ctx,
  ids: readonly OrganizationId[],
): Promise<Map<OrganizationId, string>> {
  const rows = await ctx.db
    .selectFrom('organizations')
    .select(['id', 'name'])
    .where(inScope(ctx))
    .where('id', '=', sql<OrganizationId>`any(${[...ids]})`)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/**
 * The id of an organization that a request names by its id or slug. Served by the primary key and organizations_slug.
 * @returns undefined if there is none
 */
export async function findOrganizationId(ctx: Ctx | TxCtx, named: string): Promise<OrganizationId | undefined> {
  const row = await ctx.db
    .selectFrom('organizations')
    .select('id')
    .where(inScope(ctx))
    .where((eb) => eb.or([eb('id', '=', sql<OrganizationId>`${named}`), eb('slug', '=', named)]))
    .executeTakeFirst();
  return row?.id;
}

/**
 * Adds an organization without members.
 * @throws Problem ALREADY_EXISTS for a slug that is taken, CONFLICT beyond the project's maximum, PAYLOAD_TOO_LARGE
 */
export async function createOrganization(
  ctx: Ctx | TxCtx,
  { name, slug, metadata = {} }: Static<typeof NewOrganization>,
): Promise<Organization> {
  requireSmall('metadata', metadata);
  return withSlug(slug, () =>
    transaction(ctx, async (tx) => {
      await requireRoom(tx);
      const row = {
        ...scopeColumns(tx),
        id: newId('org', tx.now),
        name,
        slug: slug ?? null,
        status: 'active' as const,
        invites_verified_domains_only: false,
        created_at: tx.now,
        updated_at: tx.now,
      };
      await tx.db
        .insertInto('organizations')
        .values({ ...row, metadata: JSON.stringify(metadata), search: searchTextOf(row) })
        .execute();
      await emit(tx, 'organization.created', { organizationId: row.id, name });
      return recordOf({ ...row, metadata });
    }),
  );
}

/**
 * Serializes additions to one project environment, so that the maximum is exact.
 * @throws Problem CONFLICT
 */
async function requireRoom(tx: TxCtx): Promise<void> {
  await lockEnvironment(tx);
  const { count } = await tx.db
    .selectFrom('organizations')
    .where(inScope(tx))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  await requireOrganizationRoom(tx, 'organizations', count);
}

/**
 * Changes name, slug, metadata or who may be invited.
 * @throws Problem NOT_FOUND, ALREADY_EXISTS for a slug that is taken, PAYLOAD_TOO_LARGE
 */
export async function updateOrganization(
  ctx: Ctx | TxCtx,
  id: OrganizationId,
  changes: Static<typeof OrganizationChanges>,
): Promise<Organization> {
  requireSmall('metadata', changes.metadata);
  return withSlug(changes.slug, () =>
    transaction(ctx, async (tx) => {
      const row = await changeRow(tx, id, { ...(await lockOrganization(tx, id)), ...changes });
      await emit(tx, 'organization.updated', {
        organizationId: id,
        name: row.name,
        fields: Object.keys(changes).sort(),
      });
      return recordOf(row);
    }),
  );
}

/**
 * Blocks or unblocks an organization. Its members keep their roles.
 * @throws Problem NOT_FOUND
 */
export function setOrganizationStatus(ctx: Ctx, id: OrganizationId, status: OrganizationStatus): Promise<Organization> {
  return transaction(ctx, async (tx) => {
    const before = await lockOrganization(tx, id);
    if (before.status === status) return before;
    const row = await changeRow(tx, id, { ...before, status });
    const type = status === 'blocked' ? 'organization.blocked' : 'organization.unblocked';
    await emit(tx, type, { organizationId: id, name: row.name });
    if (status === 'blocked')
      await changeOrganizationSessions(tx, { organizationId: id, action: 'end', reason: 'organization_blocked' });
    return recordOf(row);
  });
}

/**
 * Deletes an organization with its memberships. Its members stay members of the project.
 * @throws Problem NOT_FOUND
 */
export async function deleteOrganization(ctx: Ctx, id: OrganizationId): Promise<void> {
  await transaction(ctx, async (tx) => {
    const { name } = await lockOrganization(tx, id);
    for (const { organizationDeleted } of tx.system.parts) {
      // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
      await organizationDeleted?.(tx, id);
    }
    await tx.db.deleteFrom('organizations').where(inScope(tx)).where('id', '=', id).execute();
    await emit(tx, 'organization.deleted', { organizationId: id, name });
    await changeOrganizationSessions(tx, { organizationId: id, action: 'end', reason: 'organization_deleted' });
  });
}

/**
 * Serializes changes of an organization and its members.
 * @param shared only keeps it as it is, together with others who do. Nobody who shares it may then lock it alone: two
 * who did would wait for each other.
 * @throws Problem NOT_FOUND
 */
export async function lockOrganization(
  tx: TxCtx,
  id: OrganizationId,
  { shared = false }: { shared?: boolean } = {},
): Promise<Organization> {
  const query = tx.db.selectFrom('organizations').selectAll().where(inScope(tx)).where('id', '=', id);
  return recordOf(found(await (shared ? query.forShare() : query.forUpdate()).executeTakeFirst()));
}

/** The caller has locked the organization. */
function changeRow(tx: TxCtx, id: OrganizationId, changed: Organization) {
  const { name, slug, status, metadata, invitesVerifiedDomainsOnly } = changed;
  const search = searchTextOf({ name, slug });
  return tx.db
    .updateTable('organizations')
    .set({
      ...{ name, slug, status, search },
      metadata: JSON.stringify(metadata),
      invites_verified_domains_only: invitesVerifiedDomainsOnly,
      updated_at: tx.now,
    })
    .where(inScope(tx))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** @throws Problem ALREADY_EXISTS if another organization has this slug */
async function withSlug<T>(slug: string | null | undefined, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw isUniqueViolation(error, 'organizations_slug')
      ? problem('ALREADY_EXISTS', `Another organization has the slug "${slug}".`)
      : error;
  }
}
