import { sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { membershipsByUser } from '#members';
import { usersAwaitingErasure } from '#people';
import { PermissionKey } from '#permissions';
import type { Ctx } from '#platform/ctx.ts';
import { openCursor, type Page, PageQuery, pageOf } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';
import { organizationsIn } from '#platform/standing.ts';
import { inheritedBy, relationsGiving } from './inheritance.ts';
import { reach } from './reach.ts';
import { ORGANIZATION, ResourceReference, resourceOf, subjectOf } from './references.ts';
import { lasting } from './relations.ts';
import { allTypes } from './resource-types.ts';
import { unknownType } from './resources.ts';

export const SubjectQuery = Type.Object({
  ...PageQuery.properties,
  resource: ResourceReference,
  permission: PermissionKey,
});

export const ReachedSubject = Type.Object({
  subject: Type.String(),
  relation: Type.String(),
  resource: Type.String({ description: 'The resource of the request, or one above it.' }),
  roles: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description:
      'For the organization that the resource belongs to: members with one of these roles in it. Null: the subject itself.',
  }),
});

type Row = { subject: string; relation: string; resource: string };

/**
 * Who has a permission on a resource by relations, by keyset in the order of subjects. Served by the primary key.
 * @throws Problem INVALID_CURSOR, VALIDATION_FAILED for an unknown type, CONFLICT if there are too many resources above
 */
export async function listSubjects(
  ctx: Ctx,
  { limit, cursor, resource: reference, permission }: Static<typeof SubjectQuery>,
): Promise<Page<Static<typeof ReachedSubject>>> {
  const list = JSON.stringify(['subjects', reference, permission]);
  const after = cursor === undefined ? ['', '', ''] : positionOf(openCursor(ctx, list, cursor));
  const resource = resourceOf(reference);
  const [types, granting] = await Promise.all([allTypes(ctx), organizationsIn(ctx).rolesGranting(ctx, [permission])]);
  const type = types.find(({ key }) => key === resource.type);
  if (!type) throw unknownType(resource.type);
  const roles = granting.get(permission) ?? [];
  const relations = relationsGiving(type, permission).filter((key) => key !== ORGANIZATION || roles.length > 0);
  const [above] = await reach(ctx, [{ resource, relations, subjects: [], organizations: [] }], inheritedBy(types));
  if (!above || above.isLimited)
    throw problem(
      'CONFLICT',
      'There are more resources above this one than a list looks at. Check single people instead.',
    );
  const rows = await subjectsAfter(ctx, above.visited, { after, limit });
  const keyOf = ({ subject, relation, resource: at }: Row) => JSON.stringify([subject, relation, at]);
  const page = pageOf(ctx, rows, { list, limit, keyOf });
  const items = (await ofActivePeople(ctx, page.rows)).map((row) => ({
    ...row,
    roles: row.relation === ORGANIZATION ? roles : null,
  }));
  return { items, nextCursor: page.nextCursor };
}

function positionOf(position: string): string[] {
  return JSON.parse(position);
}

async function subjectsAfter(
  ctx: Ctx,
  relations: readonly { type: string; id: string; relation: string }[],
  { after, limit }: { after: readonly string[]; limit: number },
): Promise<Row[]> {
  const { workspaceId, projectId, environment } = ctx.scope;
  const [subject = ''] = after;
  const { rows } = await sql<Row>`
    select * from (
      select held.subject, above.relation collate "C" as relation, (above.type || ':' || above.id) collate "C" as resource
      from jsonb_to_recordset(${JSON.stringify(relations)}::jsonb) as above (type text, id text, relation text)
      cross join lateral (
        select subject from resource_relations
        where workspace_id = ${workspaceId} and project_id = ${projectId} and environment = ${environment}
          and ${lasting(ctx.now)} and resource_type = above.type and resource_id = above.id and relation = above.relation
          and subject >= ${subject}
        order by subject limit ${limit + 2}) held
    ) found
    where (subject, relation, resource) > (${sql.join(after)})
    order by subject, relation, resource limit ${limit + 1}`.execute(ctx.db);
  return rows;
}

/** Without people who have no permissions now. So a page may be shorter than its limit. */
async function ofActivePeople(ctx: Ctx, rows: readonly Row[]): Promise<Row[]> {
  const userIdOf = ({ subject: reference }: Row) => {
    const subject = subjectOf(reference);
    return subject?.kind === 'user' ? subject.userId : undefined;
  };
  const userIds = rows.flatMap((row) => userIdOf(row) ?? []);
  const [members, leaving] = await Promise.all([membershipsByUser(ctx, userIds), usersAwaitingErasure(ctx, userIds)]);
  return rows.filter((row) => {
    const userId = userIdOf(row);
    return userId === undefined || (members.get(userId)?.status === 'active' && !leaving.has(userId));
  });
}
