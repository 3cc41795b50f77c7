import { projectOf } from '#environments';
import type { Scope, TxCtx } from '#platform/ctx.ts';
import { problem } from '#platform/problem.ts';
import { inScope } from '#platform/scoped.ts';
import { perSystem } from '#platform/system.ts';

/** How long a count is trusted, in milliseconds. Counting a million relations takes longer than writing some. */
const TRUSTED_MS = 60_000;
const MAX_COUNTS = 10_000;

type Count = { relations: number; countedAt: number };
const countsOf = perSystem(() => new Map<string, Count>());

function keyOf({ workspaceId, projectId, environment }: Scope): string {
  return `${workspaceId}/${projectId}/${environment}`;
}

/**
 * Checks the maximum of the project environment before relations are added. The number is counted once a minute in each
 * process, and again before it refuses, so several processes may exceed it by what they write in a minute.
 * @throws Problem CONFLICT
 */
export async function requireRoom(tx: TxCtx, added: number): Promise<void> {
  if (added === 0) return;
  const { settings } = await projectOf(tx.system, tx.scope);
  const limit = settings.maxRelations;
  const counts = countsOf(tx.system);
  const key = keyOf(tx.scope);
  const known = counts.get(key);
  const isTrusted =
    known !== undefined && tx.now.getTime() - known.countedAt < TRUSTED_MS && known.relations + added <= limit;
  const current = isTrusted ? known.relations : await countRelations(tx);
  if (current + added > limit)
    throw problem('CONFLICT', {
      detail: `This project may have up to ${limit} relations (\`maxRelations\` of its settings).`,
      extensions: { limit, current },
    });
  if (counts.size >= MAX_COUNTS) counts.clear();
  const countedAt = isTrusted ? known.countedAt : tx.now.getTime();
  counts.set(key, { relations: current + added, countedAt });
}

/** Served by the primary key alone. */
async function countRelations(tx: TxCtx): Promise<number> {
  const { count } = await tx.db
    .selectFrom('resource_relations')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(inScope(tx))
    .executeTakeFirstOrThrow();
  return count;
}
