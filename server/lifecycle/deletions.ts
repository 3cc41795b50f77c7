import { requireSettled } from '#billing';
import { sendMessage } from '#messages';
import { amongOperators, installationOf, ownersOf } from '#operators';
import { usersById } from '#people';
import { type Ctx, operatorOf, type TxCtx, transaction } from '#platform/ctx.ts';
import type { ProjectId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { closePlace, getProject, getWorkspace, type Project, restorePlace, type Workspace } from '#tenancy';
import { addRemovalJob } from './removal-job.ts';

/**
 * Closes a project at once, schedules its removal in seven days, and notifies the owners of its workspace. Asking again
 * changes nothing.
 * @throws Problem NOT_FOUND, CONFLICT for a default project, that of the console, and one with outstanding payments
 */
export function deleteProject(ctx: Ctx, projectId: ProjectId): Promise<Project> {
  return transaction(ctx, async (tx) => {
    const asked = await close(tx, projectId);
    const project = await getProject(tx, projectId);
    if (asked) await tellOwners(tx, 'project', project);
    return project;
  });
}

/**
 * Closes the workspace with everything in it, as {@link deleteProject} does a project.
 * @throws Problem CONFLICT
 */
export function deleteWorkspace(ctx: Ctx): Promise<Workspace> {
  return transaction(ctx, async (tx) => {
    const asked = await close(tx, null);
    const workspace = await getWorkspace(tx);
    if (asked) await tellOwners(tx, 'workspace', workspace);
    return workspace;
  });
}

/**
 * Closes the workspace like {@link deleteWorkspace}, and notifies nobody: it goes on at another installation.
 * @throws Problem CONFLICT
 */
export async function closeForExport(ctx: Ctx): Promise<void> {
  await transaction(ctx, (tx) => close(tx, null));
}

/**
 * Closes a project or workspace.
 * @returns whether it was open
 */
async function close(tx: TxCtx, projectId: ProjectId | null): Promise<boolean> {
  requireNotBuiltIn(tx);
  const place = { workspaceId: tx.scope.workspaceId, projectId };
  await requireSettled(tx, place);
  const removedAt = await closePlace(tx, projectId);
  if (removedAt) await addRemovalJob(tx, place, removedAt);
  return removedAt !== null;
}

/**
 * Restores a deleted project; nothing of it is lost.
 * @throws Problem NOT_FOUND, CONFLICT after the seven days
 */
export function keepProject(ctx: Ctx, projectId: ProjectId): Promise<Project> {
  return transaction(ctx, async (tx) => {
    await restorePlace(tx, projectId);
    return getProject(tx, projectId);
  });
}

/** {@link keepProject} for the workspace. */
export function keepWorkspace(ctx: Ctx): Promise<Workspace> {
  return transaction(ctx, async (tx) => {
    await restorePlace(tx, null);
    return getWorkspace(tx);
  });
}

/**
 * The built-in workspace can't be deleted: its users are the operators.
 * @throws Problem CONFLICT
 */
function requireNotBuiltIn({ system, scope }: TxCtx): void {
  if (scope.workspaceId === installationOf(system).scope.workspaceId)
    throw problem('CONFLICT', 'Operators sign in through this workspace. It and its project cannot be deleted.');
}

/** Notifies every owner, including the one who asked: if somebody else acted in their name, this is how they notice. */
async function tellOwners(tx: TxCtx, what: 'project' | 'workspace', { name, deletesAt }: Project | Workspace) {
  const inside = amongOperators(tx);
  const workspace = await getWorkspace(tx);
  const { userId } = operatorOf(tx);
  const owners = await ownersOf(tx);
  const people = await usersById(inside, [...owners, userId]);
  const asking = people.get(userId);
  const path = what === 'project' ? '/projects' : '/workspace';
  for (const owner of owners) {
    const { email, locale } = people.get(owner) ?? {};
    if (!email) continue;
    // biome-ignore lint/performance/noAwaitInLoops: a workspace has few owners, and a transaction has one connection
    await sendMessage(inside, {
      template: 'deletion',
      to: email,
      ...(locale !== undefined && { locale }),
      variables: {
        what,
        name,
        workspace: workspace.name,
        person: asking?.displayName ?? asking?.email ?? userId,
        date: deletesAt?.slice(0, 10) ?? '',
        link: `${tx.system.config.addresses.console}/console/${workspace.id}${path}`,
      },
    });
  }
}
