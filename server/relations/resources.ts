import { sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { PermissionKey } from '#permissions';
import type { Ctx } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import { openCursor, PageOf, PageQuery, pageOf } from '#platform/page.ts';
import { found, problem } from '#platform/problem.ts';
import { organizationsIn } from '#platform/standing.ts';
import { type Inherited, inheritedBy, relationsGiving, type State, statesReaching } from './inheritance.ts';
import { inOrganization, isActive, type Person, readPeople, subjectsOf } from './people.ts';
import { MAX_DEPTH } from './reach.ts';
import { ORGANIZATION, PARENT, TypeKey } from './references.ts';
import { lasting } from './relations.ts';
import { allTypes, type ResourceType } from './resource-types.ts';

/** Resources above those of the list, such as folders, that one request looks into. */
const MAX_ABOVE = 1_000;

export const ResourceQuery = Type.Object({
  ...PageQuery.properties,
  userId: IdSchema('usr'),
  permission: PermissionKey,
  type: TypeKey,
  organizationId: Type.Optional(IdSchema('org')),
});

export const ReachedResources = Type.Object({
  ...PageOf(Type.Object({ resource: Type.String(), id: Type.String() })).properties,
  everything: Type.Boolean(),
});

/** Where a list begins: the relations that the subject has to resources. */
type Start = State & { subject: string };
/** A resource whose holders have the permission on resources below it. */
type Above = State & { id: string };

/**
 * The resources of a type on which a person has a permission, by keyset in the order of their ids. First it reads the
 * resources above them that the person reaches, then one page of what is below these and of what the person has a
 * relation to. Served by resource_relations_of_subject.
 * @throws Problem NOT_FOUND for a person who is not a member, INVALID_CURSOR, VALIDATION_FAILED for an unknown type,
 * CONFLICT beyond {@link MAX_ABOVE}
 */
export async function listResources(
  ctx: Ctx,
  query: Static<typeof ResourceQuery>,
): Promise<Static<typeof ReachedResources>> {
  const { limit, cursor, userId, permission, type: typeKey, organizationId } = query;
  const list = JSON.stringify(['resources', userId, permission, typeKey, organizationId]);
  const after = cursor === undefined ? '' : openCursor(ctx, list, cursor);
  const [people, types, granting] = await Promise.all([
    readPeople(ctx, [userId]),
    allTypes(ctx),
    organizationsIn(ctx).rolesGranting(ctx, [permission]),
  ]);
  const person = found(people.get(userId));
  if (person.access.status === null) throw problem('NOT_FOUND');
  const type = types.find(({ key }) => key === typeKey);
  if (!type) throw unknownType(typeKey);
  if (!isActive(person)) return { items: [], nextCursor: null, everything: false };
  if (person.access.permissions.includes(permission)) return { items: [], nextCursor: null, everything: true };
  const asked = { person: inOrganization(person, organizationId), type, types, permission };
  const rows = await idsAfter(ctx, placesOf(asked, granting.get(permission) ?? []), { after, limit });
  const page = pageOf(ctx, rows, { list, limit, keyOf: ({ id }) => id });
  const items = page.rows.map(({ id }) => ({ resource: `${typeKey}:${id}`, id }));
  return { items, nextCursor: page.nextCursor, everything: false };
}

export function unknownType(key: string) {
  const errors = [{ pointer: '/query/type', message: `"${key}" is not a resource type of this project` }];
  return problem('VALIDATION_FAILED', { extensions: { errors } });
}

type Places = { type: string; starts: readonly Start[]; wanted: readonly State[]; inherited: readonly Inherited[] };

function placesOf(
  {
    person,
    type,
    types,
    permission,
  }: { person: Person; type: ResourceType; types: readonly ResourceType[]; permission: string },
  grantingRoles: readonly string[],
): Places {
  const inherited = inheritedBy(types);
  const wanted = relationsGiving(type, permission).map((relation) => ({ type: type.key, relation }));
  const organizations = person.memberships
    .filter(({ roles }) => roles.some((role) => grantingRoles.includes(role)))
    .map(({ organizationId }) => `organization:${organizationId}`);
  const own = subjectsOf(person);
  const starts = statesReaching(wanted, inherited).flatMap((state) =>
    (state.relation === ORGANIZATION ? organizations : own).map((subject) => ({ ...state, subject })),
  );
  return { type: type.key, starts, wanted, inherited };
}

/** Up to `limit + 1` ids after another one, in the order of bytes. */
async function idsAfter(ctx: Ctx, places: Places, { after, limit }: { after: string; limit: number }) {
  const above = await resourcesAbove(ctx, places);
  const direct = places.starts
    .filter(({ type }) => type === places.type)
    .flatMap((start) => (isWanted(places, start) ? [{ subject: start.subject, relation: start.relation }] : []));
  const below = above
    .filter((one) =>
      places.inherited.some(
        (step) =>
          step.type === one.type &&
          step.relation === one.relation &&
          isWanted(places, { type: step.child_type, relation: step.child_relation }),
      ),
    )
    .map(({ type, id }) => ({ subject: `${type}:${id}`, relation: PARENT }));
  const sources = [...direct, ...new Map(below.map((one) => [one.subject, one])).values()];
  const { rows } = await sql<{ id: string }>`
    select distinct found.id collate "C" as id
    from unnest(${sources.map(({ subject }) => subject)}::text[], ${sources.map(({ relation }) => relation)}::text[])
      as source (subject, relation)
    cross join lateral (
      select resource_id as id from resource_relations
      where ${here(ctx)} and subject = source.subject and resource_type = ${places.type} and relation = source.relation
        and resource_id > ${after}
      order by resource_id limit ${limit + 1}) found
    order by 1 limit ${limit + 1}`.execute(ctx.db);
  return rows;
}

function isWanted({ wanted }: Places, { type, relation }: State): boolean {
  return wanted.some((state) => state.type === type && state.relation === relation);
}

function here({ scope: { workspaceId, projectId, environment }, now }: Ctx) {
  return sql`workspace_id = ${workspaceId} and project_id = ${projectId} and environment = ${environment} and ${lasting(now)}`;
}

/**
 * The resources above, from those that the person has a relation to downwards.
 * @throws Problem CONFLICT
 */
async function resourcesAbove(ctx: Ctx, { starts, inherited }: Places): Promise<Above[]> {
  const isParent = ({ type, relation }: State) =>
    inherited.some((step) => step.type === type && step.relation === relation);
  const { rows } = await sql<Above>`
    with recursive inherited as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(inherited)}::jsonb)
        as i (type text, relation text, child_type text, child_relation text)
    ), reached (type, id, relation, depth) as (
      select start.type, found.resource_id, start.relation, 0
      from jsonb_to_recordset(${JSON.stringify(starts.filter(isParent))}::jsonb)
        as start (type text, relation text, subject text)
      cross join lateral (
        select resource_id from resource_relations
        where ${here(ctx)} and subject = start.subject and resource_type = start.type and relation = start.relation
        offset 0) found
      union
      select i.child_type, below.resource_id, i.child_relation, reached.depth + 1
      from reached
      join inherited i on i.type = reached.type and i.relation = reached.relation
        and exists (select from inherited further where further.type = i.child_type and further.relation = i.child_relation)
      cross join lateral (
        select resource_id from resource_relations
        where ${here(ctx)} and subject = reached.type || ':' || reached.id and resource_type = i.child_type
          and relation = ${PARENT} offset 0) below
      where reached.depth < ${MAX_DEPTH - 1}
    )
    select type, id, relation from reached limit ${MAX_ABOVE + 1}`.execute(ctx.db);
  if (rows.length > MAX_ABOVE)
    throw problem('CONFLICT', {
      detail: `The person reaches more than ${MAX_ABOVE} resources above those of this type, such as folders. Check single resources instead.`,
      extensions: { limit: MAX_ABOVE },
    });
  return rows;
}
