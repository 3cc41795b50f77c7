import { type Selectable, sql } from 'kysely';
import { type Static, Type } from 'typebox';
import type { Ctx, Environment, TxCtx } from '#platform/ctx.ts';
import type { Id, MemberId, OrganizationId, ProjectId, WorkspaceId } from '#platform/ids.ts';
import { openCursor, type Page, PageQuery, pageOf } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { acrossProjects, inScope } from '#platform/scoped.ts';
import { RelationKey, ResourceReference, referenceOf, resourceOf, SubjectReference, TypeKey } from './references.ts';

type ResourceRelationsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  resource_type: string;
  resource_id: string;
  relation: string;
  subject: string;
  member_id: MemberId | null;
  organization_id: OrganizationId | null;
  organization_role: string | null;
  group_id: Id<'scg'> | null;
  expires_at: Date | null;
  created_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    resource_relations: ResourceRelationsTable;
  }
}

/** What identifies a relation. */
export const RelationReference = Type.Object(
  { resource: ResourceReference, relation: RelationKey, subject: SubjectReference },
  { additionalProperties: false },
);
export type RelationReference = Static<typeof RelationReference>;

export const Relation = Type.Object(
  {
    resource: Type.String(),
    relation: Type.String(),
    subject: Type.String(),
    expiresAt: nullable(Instant),
    createdAt: Instant,
  },
  { title: 'Relation' },
);
export type Relation = Static<typeof Relation>;

export const RelationQuery = Type.Object({
  ...PageQuery.properties,
  resource: Type.Optional(ResourceReference),
  type: Type.Optional(TypeKey),
  relation: Type.Optional(RelationKey),
  subject: Type.Optional(SubjectReference),
});
type RelationQuery = Static<typeof RelationQuery>;

type Row = Pick<
  Selectable<ResourceRelationsTable>,
  'resource_type' | 'resource_id' | 'relation' | 'subject' | 'expires_at' | 'created_at'
>;

function recordOf(row: Row): Relation {
  return {
    resource: referenceOf({ type: row.resource_type, id: row.resource_id }),
    relation: row.relation,
    subject: row.subject,
    expiresAt: row.expires_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
  };
}

/** The columns of a position in each order; an index serves each. */
const BY_RESOURCE = ['resource_type', 'resource_id', 'relation', 'subject'] as const;
const BY_SUBJECT = ['subject', 'resource_type', 'relation', 'resource_id'] as const;

/** Relations that have not expired. */
export function lasting(at: Date) {
  return sql<boolean>`(expires_at is null or expires_at > ${at})`;
}

/**
 * The relations of the project environment: of one subject in the order of resources, or else in the order of resources
 * and relations. Served by the primary key, or by resource_relations_of_subject.
 * @throws Problem INVALID_CURSOR, VALIDATION_FAILED for `relation` without a resource or subject, which no index serves
 */
export async function listRelations(ctx: Ctx, query: RelationQuery): Promise<Page<Relation>> {
  const { limit, cursor, resource, type, relation, subject } = query;
  if (relation !== undefined && resource === undefined && subject === undefined)
    throw problem('VALIDATION_FAILED', {
      extensions: { errors: [{ pointer: '/query/relation', message: 'needs `resource` or `subject` too' }] },
    });
  const order = subject !== undefined && resource === undefined ? BY_SUBJECT : BY_RESOURCE;
  const list = JSON.stringify(['relations', resource, type, relation, subject]);
  const equal = { ...(resource !== undefined && idOf(resource)), ...(type !== undefined && { resource_type: type }) };
  const where = Object.entries({ ...equal, relation, subject }).flatMap(([column, value]) =>
    value === undefined ? [] : [sql`${sql.ref(column)} = ${value}`],
  );
  if (cursor !== undefined) where.push(after(order, openCursor(ctx, list, cursor)));
  const rows = await ctx.db
    .selectFrom('resource_relations')
    .select(['resource_type', 'resource_id', 'relation', 'subject', 'expires_at', 'created_at'])
    .where(inScope(ctx))
    .where(lasting(ctx.now))
    .where(sql<boolean>`${where.length === 0 ? sql`true` : sql.join(where, sql` and `)}`)
    .orderBy(sql.join(order.map((column) => sql.ref(column))))
    .limit(limit + 1)
    .execute();
  const keyOf = (row: Row) => JSON.stringify(order.map((column) => row[column]));
  const page = pageOf(ctx, rows, { list, limit, keyOf });
  return { items: page.rows.map(recordOf), nextCursor: page.nextCursor };
}

function idOf(reference: string) {
  const { type, id } = resourceOf(reference);
  return { resource_type: type, resource_id: id };
}

/** Rows after a position: a comparison of rows, which an index serves. */
function after(order: readonly string[], position: string) {
  const values: string[] = JSON.parse(position);
  return sql`(${sql.join(order.map((column) => sql.ref(column)))}) > (${sql.join(values)})`;
}

/** The relations of these members, for the export of a person's data. Served by resource_relations_of_member. */
export async function relationsOfMembers(ctx: Ctx | TxCtx, memberIds: readonly MemberId[], limit: number) {
  const rows = await ctx.db
    .selectFrom('resource_relations')
    .select(['project_id', 'resource_type', 'resource_id', 'relation', 'subject', 'expires_at', 'created_at'])
    .where(acrossProjects(ctx))
    .where('member_id', '=', sql<MemberId>`any(${[...memberIds]})`)
    .limit(limit)
    .execute();
  return rows.map((row) => ({ projectId: row.project_id, ...recordOf(row) }));
}
