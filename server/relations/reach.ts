import { sql } from 'kysely';
import type { Ctx } from '#platform/ctx.ts';
import type { Inherited, State } from './inheritance.ts';
import { ORGANIZATION, PARENT, type Resource } from './references.ts';
import { lasting } from './relations.ts';

/** How far above a resource a relation may be stored. */
export const MAX_DEPTH = 10;
/** Relations of resources that one check looks at. */
const MAX_VISITED = 500;
/** Subjects that one relation of a resource is reported with. */
const MAX_SUBJECTS = 10;

/** A question: does any of the subjects have any of the relations to the resource, or to one above it? */
export type Question = {
  resource: Resource;
  relations: readonly string[];
  subjects: readonly string[];
  /** Subjects of the relation `organization`: the organizations in which a role of the person grants the permission. */
  organizations: readonly string[];
};

/** A relation to a resource that answers a question, and the resources between. */
export type FoundRelation = { resource: Resource; relation: string; subject: string; through: Resource[] };

export type Reach = {
  found: FoundRelation[];
  /** The relations to resources that would answer it. */
  visited: (State & { id: string })[];
  /** There are more resources above than a check looks at. */
  isLimited: boolean;
};

type Step = { type: string; id: string; relation: string; depth: number };
type Row = Step & {
  question: number;
  childType: string | null;
  childId: string | null;
  childRelation: string | null;
  subjects: string[] | null;
};

/**
 * Answers any number of questions in one statement, which climbs from each resource to its parents. The primary key
 * serves each step; a cycle of parents ends at {@link MAX_DEPTH}.
 */
export async function reach(
  ctx: Ctx,
  questions: readonly Question[],
  inherited: readonly Inherited[],
): Promise<Reach[]> {
  if (questions.length === 0) return [];
  const { workspaceId, projectId, environment } = ctx.scope;
  const here = sql`workspace_id = ${workspaceId} and project_id = ${projectId} and environment = ${environment}
    and ${lasting(ctx.now)}`;
  const asked = questions.map(({ resource, ...rest }, question) => ({ question, ...resource, ...rest }));
  const { rows } = await sql<Row>`
    with inherited as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(inherited)}::jsonb)
        as i (type text, relation text, child_type text, child_relation text)
    )
    select q.question, r.type, r.id, r.relation, r.depth, r.child_type as "childType", r.child_id as "childId",
      r.child_relation as "childRelation", held.subjects
    from (
      -- The limit tells the planner that there are few rows.
      select * from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb)
        as q (question int, type text, id text, relations text[], subjects text[], organizations text[])
      limit ${asked.length}) q
    cross join lateral (
      with recursive reached (type, id, relation, depth, child_type, child_id, child_relation) as (
        select q.type, q.id collate "C", relation, 0, null::text, null collate "C", null::text
        from unnest(q.relations) as relation
        union
        select parent.type, parent.id, i.relation, reached.depth + 1, reached.type, reached.id, reached.relation
        from reached
        cross join lateral (
          select split_part(subject, ':', 1) collate "default" as type, substr(subject, strpos(subject, ':') + 1) as id
          from resource_relations
          where ${here} and resource_type = reached.type and resource_id = reached.id and relation = ${PARENT} offset 0
        ) parent
        join inherited i
          on i.child_type = reached.type and i.child_relation = reached.relation and i.type = parent.type
        where reached.depth < ${MAX_DEPTH}
      ) select * from reached limit ${MAX_VISITED + 1}
    ) r
    left join lateral (
      select array_agg(subject) as subjects from (
        select subject from resource_relations
        where ${here} and resource_type = r.type and resource_id = r.id and relation = r.relation
          and subject = any(case when r.relation = ${ORGANIZATION} then q.organizations else q.subjects end)
        limit ${MAX_SUBJECTS}) matching
    ) held on true`.execute(ctx.db);
  const byQuestion = Map.groupBy(rows, ({ question }) => question);
  return questions.map((_, index) => reachIn(byQuestion.get(index) ?? []));
}

function keyOf({ type, id, relation, depth }: Step): string {
  return JSON.stringify([depth, type, id, relation]);
}

function reachIn(rows: readonly Row[]): Reach {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  const holding = rows.filter(({ subjects }) => subjects !== null).sort((one, other) => one.depth - other.depth);
  const found = holding.flatMap((row) => {
    const through = throughOf(row, byKey);
    const resource = { type: row.type, id: row.id };
    return (row.subjects ?? []).map((subject) => ({ resource, relation: row.relation, subject, through }));
  });
  const visited = new Map(
    rows.map(({ type, id, relation }) => [JSON.stringify([type, id, relation]), { type, id, relation }]),
  );
  return {
    found: withoutRepeats(found),
    visited: [...visited.values()],
    isLimited: rows.length > MAX_VISITED || isTooDeep(rows),
  };
}

/** The resources from the one that was asked about to the one below this. */
function throughOf(row: Row, byKey: ReadonlyMap<string, Row>): Resource[] {
  const through: Resource[] = [];
  let below = childOf(row, byKey);
  while (below) {
    through.unshift({ type: below.type, id: below.id });
    below = childOf(below, byKey);
  }
  return through;
}

function childOf(
  { depth, childType: type, childId: id, childRelation: relation }: Row,
  byKey: ReadonlyMap<string, Row>,
): Row | undefined {
  if (type === null || id === null || relation === null) return undefined;
  return byKey.get(keyOf({ type, id, relation, depth: depth - 1 }));
}

/** A cycle finds the same relation again at each turn; the shortest way to it is enough. */
function withoutRepeats(found: readonly FoundRelation[]): FoundRelation[] {
  const firsts = new Map<string, FoundRelation>();
  for (const one of found) {
    const key = JSON.stringify([one.resource, one.relation, one.subject]);
    if (!firsts.has(key)) firsts.set(key, one);
  }
  return [...firsts.values()];
}

/** At the last depth there is a resource that is not nearer, too, so what is above it was not looked at. */
function isTooDeep(rows: readonly Row[]): boolean {
  const nodeOf = ({ type, id, relation }: Row) => JSON.stringify([type, id, relation]);
  const nearer = new Set(rows.filter(({ depth }) => depth < MAX_DEPTH).map(nodeOf));
  return rows.some((row) => row.depth === MAX_DEPTH && !nearer.has(nodeOf(row)));
}
