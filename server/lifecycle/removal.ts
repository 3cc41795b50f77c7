import type { Task } from 'graphile-worker';
import { Compile } from 'typebox/compile';
import { applicationRemovals } from '#applications';
import { auditRemovals } from '#audit';
import { billingRemovals } from '#billing';
import { emit, eventRemovals } from '#events';
import { memberRemovals } from '#members';
import { messageRemovals } from '#messages';
import { oidcRemovals } from '#oidc';
import { installationOf, workspaceScope } from '#operators';
import { identityRemovals } from '#people';
import { type Ctx, systemCtx, type TxCtx, transaction } from '#platform/ctx.ts';
import { type Removal, type Removed, rowsOfProject, rowsOfWorkspace } from '#platform/removal.ts';
import type { System } from '#platform/system.ts';
import { authRemovals } from '#proofs';
import { sessionRemovals } from '#sessions';
import { isDueForRemoval, RemovalWork, removalJob, removeProject, removeWorkspace, tenancyRemovals } from '#tenancy';
import { webhookRemovals } from '#webhooks';

const consoleRemovals: readonly Removal[] = [
  rowsOfProject('daily_figures'),
  rowsOfProject('active_people'),
  rowsOfWorkspace('team_invitations'),
  rowsOfWorkspace('team_members'),
];

/** What every part keeps of a project or workspace, in an order in which nothing refers to what goes before it. */
export const removals: readonly Removal[] = [
  ...webhookRemovals,
  ...oidcRemovals,
  ...authRemovals,
  ...sessionRemovals,
  ...memberRemovals,
  ...applicationRemovals,
  ...messageRemovals,
  ...billingRemovals,
  ...identityRemovals,
  ...consoleRemovals,
  ...auditRemovals,
  ...eventRemovals,
  ...tenancyRemovals,
];

/** Rows of one transaction, so that none holds its locks for long. */
const PORTION = 1_000;
/** A job works this long, then makes way for others and goes on later. */
const TURN_MS = 1_000;

const work = Compile(RemovalWork);

/** Removes a project or a workspace whose day has come, portion by portion; one that was restored is left alone. */
export function removeScopeTask(system: System): Task {
  return async (payload, { job }) => {
    const removed = work.Parse(payload);
    const scope = {
      ...workspaceScope(removed.workspaceId),
      ...(removed.projectId && { projectId: removed.projectId }),
    };
    const ctx = systemCtx(system, scope, 'deletion', `deletion-${job.id}`);
    const due = await transaction(ctx, (tx) => isDueForRemoval(tx, removed));
    if (due === false) return;
    if (due === true && (await removeForAWhile(ctx, removed)) === 'nothing left')
      return transaction(ctx, (tx) => finish(tx, removed));
    await transaction(ctx, (tx) => removalJob(tx, removed, due === true ? undefined : due));
  };
}

/** @returns `nothing left` only after looking everywhere: what was under way may have written where rows were removed before */
async function removeForAWhile(ctx: Ctx, removed: Removed): Promise<'nothing left' | 'more'> {
  const until = performance.now() + TURN_MS;
  let result: 'nothing left' | 'more' = 'nothing left';
  for (const { remove } of removals) {
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

/** Of a project its workspace keeps that it was removed; of a workspace those who run the installation. */
async function finish(tx: TxCtx, { workspaceId, projectId }: Removed): Promise<void> {
  if (projectId === null) {
    const name = await removeWorkspace(tx);
    const installation = workspaceScope(installationOf(tx.system).scope.workspaceId);
    await emit({ ...tx, scope: installation }, 'workspace.deleted', { workspaceId, name });
  } else {
    const name = await removeProject(tx, projectId);
    await emit({ ...tx, scope: workspaceScope(workspaceId) }, 'project.deleted', { projectId, name });
  }
}
