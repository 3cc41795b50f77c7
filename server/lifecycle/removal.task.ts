import type { Task } from 'graphile-worker';
import { Compile } from 'typebox/compile';
import { emit } from '#events';
import { installationOf, workspaceScope } from '#operators';
import { type Ctx, systemCtx, type TxCtx, transaction } from '#platform/ctx.ts';
import type { Removed } from '#platform/removal.ts';
import { at } from '#platform/scoped.ts';
import type { System } from '#platform/system.ts';
import { placeRemoval } from '#tenancy';
import { addRemovalJob, RemovalWork } from './removal-job.ts';

/** Rows per transaction, limited so that none holds its locks for long. */
const PORTION = 1_000;
/** How long a job works before it yields to others and continues later. */
const TURN_MS = 1_000;

const work = Compile(RemovalWork);

/** Removes a project or a workspace that is due, portion by portion; skips a restored one. */
export function removeScopeTask(system: System): Task {
  return async (payload, { job }) => {
    const removed = work.Parse(payload);
    const scope = {
      ...workspaceScope(removed.workspaceId),
      ...(removed.projectId && { projectId: removed.projectId }),
    };
    const ctx = systemCtx(system, scope, 'deletion', `deletion-${job.id}`);
    const due = await transaction(ctx, (tx) => placeRemoval.isDue(tx, removed));
    if (due === false) return;
    if (due === true && (await removeForAWhile(ctx, removed)) === 'nothing left')
      return transaction(ctx, (tx) => finish(tx, removed));
    await transaction(ctx, (tx) => addRemovalJob(tx, removed, due === true ? undefined : due));
  };
}

/**
 * @returns `nothing left` only after a complete pass, because requests in flight may write to tables that were already
 * emptied
 */
async function removeForAWhile(ctx: Ctx, removed: Removed): Promise<'nothing left' | 'more'> {
  const until = performance.now() + TURN_MS;
  let result: 'nothing left' | 'more' = 'nothing left';
  for (const { remove } of ctx.system.parts.flatMap(({ removals = [] }) => removals)) {
    for (;;) {
      // biome-ignore lint/performance/noAwaitInLoops: portion after portion
      const count = await transaction(ctx, (tx) => remove(tx, removed, PORTION));
      if (count === 0) break;
      result = 'more';
      if (performance.now() > until) return result;
    }
  }
  return result;
}

/** Records the removal: of a project in its workspace, of a workspace in the built-in workspace. */
async function finish(tx: TxCtx, { workspaceId, projectId }: Removed): Promise<void> {
  const name = await placeRemoval.finish(tx, projectId);
  if (projectId === null) {
    const installation = workspaceScope(installationOf(tx.system).scope.workspaceId);
    await emit(at(tx, installation), 'workspace.deleted', { workspaceId, name });
  } else await emit(at(tx, workspaceScope(workspaceId)), 'project.deleted', { projectId, name });
}
