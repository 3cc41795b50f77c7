import { type Static, Type } from 'typebox';
import { emit } from '#events';
import type { TxCtx } from '#platform/ctx.ts';
import { IdSchema, type ProjectId } from '#platform/ids.ts';
import { addJob } from '#platform/jobs.ts';
import { problem } from '#platform/problem.ts';
import type { Removed } from '#platform/removal.ts';
import { inWorkspace } from '#platform/scoped.ts';
import { announceClosing } from './closed-scopes.ts';
import { getProject, getWorkspace, type Project, type Workspace } from './directory.ts';

/** What the job that removes a project or a workspace carries. */
export const RemovalWork = Type.Object({
  workspaceId: IdSchema('wrk'),
  projectId: Type.Union([IdSchema('prj'), Type.Null()]),
});
type RemovalWork = Static<typeof RemovalWork>;

declare module '#platform/jobs.ts' {
  interface Jobs {
    remove_scope: RemovalWork;
  }
}

/** How long an owner can change their mind, in milliseconds. */
const UNDO_MS = 7 * 86_400_000;
/** Nobody waits for it. */
const LAST = 10;

/** Has something removed, from some moment on, in place of a job that waits already. */
export async function removalJob(tx: TxCtx, { workspaceId, projectId }: Removed, runAt?: Date): Promise<void> {
  await addJob(
    tx,
    'remove_scope',
    { workspaceId, projectId },
    { priority: LAST, key: `remove_scope ${workspaceId} ${projectId ?? ''}`, ...(runAt && { runAt }) },
  );
}

/**
 * Closes a project at once and in every process, and has it removed in seven days. Asking again changes nothing.
 * @returns `asked`: nobody had asked before @throws Problem NOT_FOUND, CONFLICT for the default project of an environment
 */
export async function closeProject(tx: TxCtx, projectId: ProjectId): Promise<{ project: Project; asked: boolean }> {
  const { workspaceId } = tx.scope;
  const { delete_at: before } = known(await lockProject(tx, projectId));
  if (before !== null) return { project: await getProject(tx, projectId), asked: false };
  await requireNoDefault(tx, projectId);
  const deletesAt = new Date(tx.now.getTime() + UNDO_MS);
  await tx.db
    .updateTable('projects')
    .set({ delete_at: deletesAt })
    .where(inWorkspace(tx))
    .where('id', '=', projectId)
    .execute();
  const project = await getProject(tx, projectId);
  await announceClosing(tx, { workspaceId, projectId }, 'closed');
  await removalJob(tx, { workspaceId, projectId }, deletesAt);
  const { name } = project;
  await emit(tx, 'project.deletion.scheduled', { projectId, name, deletesAt: deletesAt.toISOString() });
  return { project, asked: true };
}

/**
 * Closes `tx.scope`'s workspace with every project in it, as {@link closeProject} does.
 * @throws Problem NOT_FOUND, CONFLICT while a project of it is the default of an environment
 */
export async function closeWorkspace(tx: TxCtx): Promise<{ workspace: Workspace; asked: boolean }> {
  const { workspaceId } = tx.scope;
  const { delete_at: before } = known(await lockWorkspace(tx));
  if (before !== null) return { workspace: await getWorkspace(tx), asked: false };
  await requireNoDefault(tx, null);
  const deletesAt = new Date(tx.now.getTime() + UNDO_MS);
  await tx.db.updateTable('workspaces').set({ delete_at: deletesAt }).where('id', '=', workspaceId).execute();
  const workspace = await getWorkspace(tx);
  await announceClosing(tx, { workspaceId }, 'closed');
  await removalJob(tx, { workspaceId, projectId: null }, deletesAt);
  const { name } = workspace;
  await emit(tx, 'workspace.deletion.scheduled', { workspaceId, name, deletesAt: deletesAt.toISOString() });
  return { workspace, asked: true };
}

/** Opens a closed project again, with everything in it. @throws Problem NOT_FOUND, CONFLICT where it is open, or once its removal has begun */
export async function restoreProject(tx: TxCtx, projectId: ProjectId): Promise<Project> {
  const { workspaceId } = tx.scope;
  requireUntouched(tx, known(await lockProject(tx, projectId)));
  await tx.db
    .updateTable('projects')
    .set({ delete_at: null })
    .where(inWorkspace(tx))
    .where('id', '=', projectId)
    .execute();
  const project = await getProject(tx, projectId);
  await announceClosing(tx, { workspaceId, projectId }, 'open');
  await emit(tx, 'project.deletion.cancelled', { projectId, name: project.name });
  return project;
}

/** Opens `tx.scope`'s closed workspace again, with everything in it. @throws Problem NOT_FOUND, CONFLICT once its removal has begun */
export async function restoreWorkspace(tx: TxCtx): Promise<Workspace> {
  const { workspaceId } = tx.scope;
  requireUntouched(tx, known(await lockWorkspace(tx)));
  await tx.db.updateTable('workspaces').set({ delete_at: null }).where('id', '=', workspaceId).execute();
  const workspace = await getWorkspace(tx);
  await announceClosing(tx, { workspaceId }, 'open');
  await emit(tx, 'workspace.deletion.cancelled', { workspaceId, name: workspace.name });
  return workspace;
}

type Closed = { delete_at: Date | null; removal_began_at: Date | null };

/** @throws Problem NOT_FOUND */
function known(row: Closed | undefined): Closed {
  if (!row) throw problem('NOT_FOUND');
  return row;
}

function lockProject(tx: TxCtx, projectId: ProjectId): Promise<Closed | undefined> {
  return tx.db
    .selectFrom('projects')
    .select(['delete_at', 'removal_began_at'])
    .where(inWorkspace(tx))
    .where('id', '=', projectId)
    .forUpdate()
    .executeTakeFirst();
}

function lockWorkspace(tx: TxCtx): Promise<Closed | undefined> {
  return tx.db
    .selectFrom('workspaces')
    .select(['delete_at', 'removal_began_at'])
    .where('id', '=', tx.scope.workspaceId)
    .forUpdate()
    .executeTakeFirst();
}

/** The default projects answer who names no project, and keep the status. @throws Problem CONFLICT */
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
 * Whether something is to be removed by now; from then on it can't be restored.
 * @returns the day when it is later, false when it was restored or is gone
 */
export async function isDueForRemoval(tx: TxCtx, { projectId }: Removed): Promise<boolean | Date> {
  const row = await (projectId === null ? lockWorkspace(tx) : lockProject(tx, projectId));
  if (!row?.delete_at) return false;
  if (row.delete_at > tx.now) return row.delete_at;
  if (row.removal_began_at === null) await noteBegun(tx, projectId);
  return true;
}

async function noteBegun(tx: TxCtx, projectId: ProjectId | null): Promise<void> {
  const begun = { removal_began_at: tx.now };
  const { workspaceId } = tx.scope;
  if (projectId === null) await tx.db.updateTable('workspaces').set(begun).where('id', '=', workspaceId).execute();
  else await tx.db.updateTable('projects').set(begun).where(inWorkspace(tx)).where('id', '=', projectId).execute();
}

/** The project that is removed, or every project of the workspace. Served by the primary key. */
export async function projectIdsOf(tx: TxCtx, { workspaceId, projectId }: Removed): Promise<ProjectId[]> {
  if (projectId !== null) return [projectId];
  const rows = await tx.db.selectFrom('projects').select('id').where('workspace_id', '=', workspaceId).execute();
  return rows.map(({ id }) => id);
}

/** Removes the row of a project of which nothing else is left. @returns its name */
export async function removeProject(tx: TxCtx, projectId: ProjectId): Promise<string> {
  const { workspaceId } = tx.scope;
  const { name } = await tx.db
    .deleteFrom('projects')
    .where(inWorkspace(tx))
    .where('id', '=', projectId)
    .returning('name')
    .executeTakeFirstOrThrow();
  await announceClosing(tx, { workspaceId, projectId }, 'closed');
  return name;
}

/** Removes the rows of a workspace of which nothing else is left. @returns its name */
export async function removeWorkspace(tx: TxCtx): Promise<string> {
  const { workspaceId } = tx.scope;
  await tx.db.deleteFrom('projects').where(inWorkspace(tx)).execute();
  const { name } = await tx.db
    .deleteFrom('workspaces')
    .where('id', '=', workspaceId)
    .returning('name')
    .executeTakeFirstOrThrow();
  await announceClosing(tx, { workspaceId }, 'closed');
  return name;
}
