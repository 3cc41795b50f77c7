import { sql } from 'kysely';
import type { TxCtx } from '#platform/ctx.ts';
import { problem } from '#platform/problem.ts';
import { inScope } from '#platform/scoped.ts';
import { PARENT } from './references.ts';
import type { ResourceType } from './resource-types.ts';

/** Relations that go with their type in one request. The type is locked while they are deleted. */
const MAX_REMOVED = 10_000;

type Shape = Pick<ResourceType, 'key' | 'relations' | 'parents'>;

/**
 * Refuses a change of a type that would leave relations without a meaning.
 * @throws Problem CONFLICT
 */
export async function refuseOrphans(tx: TxCtx, before: Shape, after: Shape): Promise<void> {
  const kept = after.relations.map(({ key }) => key);
  const parents = after.parents.map(({ type }) => type);
  const gone = [
    ...before.relations
      .map(({ key }) => ({ relation: key, subjectType: '' }))
      .filter((one) => !kept.includes(one.relation)),
    ...before.parents
      .map(({ type }) => ({ relation: PARENT, subjectType: type }))
      .filter((one) => !parents.includes(one.subjectType)),
  ];
  for (const one of gone) {
    // biome-ignore lint/performance/noAwaitInLoops: at most thirty, on one connection
    if (await isStored(tx, before.key, one))
      throw problem(
        'CONFLICT',
        `Relations "${one.relation}" of this type are stored that the change leaves without a meaning. Delete them first.`,
      );
  }
}

/**
 * Checks that a type has few enough relations to be removed with them.
 * @throws Problem CONFLICT
 */
export async function requireUnused(tx: TxCtx, type: string): Promise<void> {
  const rows = await tx.db
    .selectFrom('resource_relations')
    .select('resource_id')
    .where(inScope(tx))
    .where('resource_type', '=', type)
    .limit(MAX_REMOVED + 1)
    .execute();
  if (rows.length > MAX_REMOVED)
    throw problem('CONFLICT', {
      detail: `This type has more than ${MAX_REMOVED} relations. Delete relations of it first.`,
      extensions: { limit: MAX_REMOVED },
    });
}

/** Looks through the relations of one type. Changes of types are rare, so that has no index of its own. */
async function isStored(
  tx: TxCtx,
  type: string,
  { relation, subjectType }: { relation: string; subjectType: string },
): Promise<boolean> {
  const row = await tx.db
    .selectFrom('resource_relations')
    .select('resource_id')
    .where(inScope(tx))
    .where('resource_type', '=', type)
    .where('relation', '=', relation)
    .where(sql<boolean>`starts_with(subject, ${subjectType === '' ? '' : `${subjectType}:`})`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
