import { emit } from '#events';
import type { TxCtx } from '#platform/ctx.ts';
import type { ProjectId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import type { Removed } from '#platform/removal.ts';
import { inWorkspace } from '#platform/scoped.ts';
import { announceClosing } from './closed-scopes.ts';

/** How long a closed project or workspace can be restored, in milliseconds. */
const UNDO_MS = 7 * 86_400_000;

/**
 * Closes a project, or (null) the scope's workspace with every project in it, immediately and in every process.
 * Idempotent.
 * @returns when it is to be removed, null if it was already closed
 * @throws Problem NOT_FOUND, CONFLICT for the default project of an environment, and for a workspace that has one
 */
export async function closePlace(tx: TxCtx, projectId: ProjectId | null): Promise<Date | null> {
  const { delete_at: before } = known(await lockPlace(tx, projectId));
  if (before !== null) return null;
  await requireNoDefault(tx, projectId);
  const deletesAt = new Date(tx.now.getTime() + UNDO_MS);
  const { name } = await setPlace(tx, projectId, { delete_at: deletesAt });
  await announceClosing(tx, placeOf(tx, projectId), 'closed');
  const data = { name, deletesAt: deletesAt.toISOString() };
  if (projectId === null)
    await emit(tx, 'workspace.deletion.scheduled', { workspaceId: tx.scope.workspaceId, ...data });
  else await emit(tx, 'project.deletion.scheduled', { projectId, ...data });
  return deletesAt;
}

/**
 * Restores a closed project, or (null) the scope's workspace, with everything in it.
 * @throws Problem NOT_FOUND, CONFLICT when it is open, or once its removal has started
 */
export async function restorePlace(tx: TxCtx, projectId: ProjectId | null): Promise<void> {
  requireUntouched(tx, known(await lockPlace(tx, projectId)));
  const { name } = await setPlace(tx, projectId, { delete_at: null, removal_began_at: null });
  await announceClosing(tx, placeOf(tx, projectId), 'open');
  if (projectId === null) await emit(tx, 'workspace.deletion.cancelled', { workspaceId: tx.scope.workspaceId, name });
  else await emit(tx, 'project.deletion.cancelled', { projectId, name });
}

/**
 * Opens the scope's workspace, which was just imported: it may have been closed for its export. Its closed projects stay closed, which
 * every process has to hear.
 */
export async function openImported(tx: TxCtx): Promise<void> {
  const { workspaceId } = tx.scope;
  await setPlace(tx, null, { delete_at: null, removal_began_at: null });
  await announceClosing(tx, { workspaceId }, 'open');
  const closed = await tx.db
    .selectFrom('projects')
    .select('id as projectId')
    .where(inWorkspace(tx))
    .where('delete_at', 'is not', null)
    .execute();
  // biome-ignore lint/performance/noAwaitInLoops: one connection
  for (const { projectId } of closed) await announceClosing(tx, { workspaceId, projectId }, 'closed');
}

function placeOf({ scope: { workspaceId } }: TxCtx, projectId: ProjectId | null) {
  return projectId === null ? { workspaceId } : { workspaceId, projectId };
}

type Closed = { delete_at: Date | null; removal_began_at: Date | null };

/** @throws Problem NOT_FOUND */
function known(row: Closed | undefined): Closed {
  if (!row) throw problem('NOT_FOUND');
  return row;
}

function lockPlace(tx: TxCtx, projectId: ProjectId | null): Promise<Closed | undefined> {
  const { workspaceId } = tx.scope;
  const columns = ['delete_at', 'removal_began_at'] as const;
  return projectId === null
    ? tx.db.selectFrom('workspaces').select(columns).where('id', '=', workspaceId).forUpdate().executeTakeFirst()
    : tx.db
        .selectFrom('projects')
        .select(columns)
        .where(inWorkspace(tx))
        .where('id', '=', projectId)
        .forUpdate()
        .executeTakeFirst();
}

/** Updates the row, which the caller has locked. */
function setPlace(tx: TxCtx, projectId: ProjectId | null, changes: Partial<Closed>): Promise<{ name: string }> {
  const { workspaceId } = tx.scope;
  return projectId === null
    ? tx.db
        .updateTable('workspaces')
        .set(changes)
        .where('id', '=', workspaceId)
        .returning('name')
        .executeTakeFirstOrThrow()
    : tx.db
        .updateTable('projects')
        .set(changes)
        .where(inWorkspace(tx))
        .where('id', '=', projectId)
        .returning('name')
        .executeTakeFirstOrThrow();
}

/**
 * Default projects serve requests that name no project, and keep the status, so they can't be closed.
 * @throws Problem CONFLICT
 */
async function requireNoDefault(tx: TxCtx, projectId: ProjectId | null): Promise<void> {
  const rows = await tx.db
    .selectFrom('default_projects')
    .select(['environment', 'project_id'])
    .where('workspace_id', '=', tx.scope.workspaceId)
    .execute();
  const found = rows.find((row) => projectId === null || row.project_id === projectId);
  if (found)
    throw problem(
      'CONFLICT',
      `${projectId === null ? 'A project of the workspace' : 'The project'} is the default of the ${found.environment} environment: it serves requests that name no project, and the status belongs to it. It cannot be deleted.`,
    );
}

/** @throws Problem CONFLICT */
function requireUntouched({ now }: TxCtx, row: Closed): void {
  if (row.delete_at === null) throw problem('CONFLICT', 'No deletion is scheduled.');
  if (row.removal_began_at !== null || row.delete_at <= now)
    throw problem('CONFLICT', 'The seven days are over; the removal has started.');
}

/**
 * Whether a closed project or workspace is due for removal; if so, it can no longer be restored.
 * @returns the time of removal if it is later, false if it was restored or no longer exists
 */
async function isDueForRemoval(tx: TxCtx, { projectId }: Removed): Promise<boolean | Date> {
  const row = await lockPlace(tx, projectId);
  if (!row?.delete_at) return false;
  if (row.delete_at > tx.now) return row.delete_at;
  if (row.removal_began_at === null) await setPlace(tx, projectId, { removal_began_at: tx.now });
  return true;
}

/** The removed project, or every project of the removed workspace. Served by the primary key. */
export async function projectIdsOf(tx: TxCtx, { workspaceId, projectId }: Removed): Promise<ProjectId[]> {
  if (projectId !== null) return [projectId];
  const rows = await tx.db.selectFrom('projects').select('id').where('workspace_id', '=', workspaceId).execute();
  return rows.map(({ id }) => id);
}

/**
 * Deletes the row of a project, or (null) the rows of the scope's workspace, after everything else.
 * @returns its name
 */
async function removePlace(tx: TxCtx, projectId: ProjectId | null): Promise<string> {
  const { workspaceId } = tx.scope;
  const projects = tx.db.deleteFrom('projects').where(inWorkspace(tx));
  if (projectId === null) await projects.execute();
  const { name } = await (projectId === null
    ? tx.db.deleteFrom('workspaces').where('id', '=', workspaceId).returning('name').executeTakeFirstOrThrow()
    : projects.where('id', '=', projectId).returning('name').executeTakeFirstOrThrow());
  await announceClosing(tx, placeOf(tx, projectId), 'closed');
  return name;
}

/** The end of a closed project or workspace, for the job that removes it. */
export const placeRemoval = { isDue: isDueForRemoval, finish: removePlace };
