import { sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { emit } from '#events';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import type { ReadDb } from '#platform/db.ts';
import { announce } from '#platform/feed.ts';
import { IdSchema, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { newestFirst, type Page, type PageQuery } from '#platform/page.ts';
import { problem } from '#platform/problem.ts';
import { Instant } from '#platform/schemas.ts';
import { at, inWorkspace } from '#platform/scoped.ts';

const DeletesAt = Type.Union([Instant, Type.Null()], {
  description: 'When a closed project or workspace is removed. Until then, an owner can restore it.',
});

/** A workspace as its team sees it. */
export const Workspace = Type.Object({
  id: IdSchema('wrk'),
  name: Type.String(),
  createdAt: Instant,
  deletesAt: DeletesAt,
});
export type Workspace = Static<typeof Workspace>;

/** A project of a workspace, with both environments. */
export const Project = Type.Object(
  {
    id: IdSchema('prj'),
    name: Type.String(),
    createdAt: Instant,
    deletesAt: DeletesAt,
  },
  { title: 'Project' },
);
export type Project = Static<typeof Project>;

/** The query for a page of projects; `q` matches part of the name. */
type ProjectQuery = Static<typeof PageQuery> & { q?: string };

type Row = { id: string; name: string; created_at: Date; delete_at: Date | null };

function recordOf({ id, name, created_at, delete_at }: Row) {
  return { id, name, createdAt: created_at.toISOString(), deletesAt: delete_at?.toISOString() ?? null };
}

/** Workspaces by their ids, sorted by name. Served by the primary key. */
export async function workspacesById(db: ReadDb, ids: readonly WorkspaceId[]): Promise<Workspace[]> {
  const rows = await db
    .selectFrom('workspaces')
    .select(['id', 'name', 'created_at', 'delete_at'])
    .where('id', '=', sql<WorkspaceId>`any(${[...ids]})`)
    .orderBy('name')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ ...recordOf(row), id: row.id }));
}

/**
 * The workspace of the scope.
 * @throws Problem NOT_FOUND
 */
export async function getWorkspace({ db, scope }: Pick<Ctx, 'db' | 'scope'> | TxCtx): Promise<Workspace> {
  const [workspace] = await workspacesById(db, [scope.workspaceId]);
  if (!workspace) throw problem('NOT_FOUND');
  return workspace;
}

/** The ids of all workspaces, for the operator of the installation. */
export async function allWorkspaces(db: ReadDb): Promise<WorkspaceId[]> {
  return (await db.selectFrom('workspaces').select('id').orderBy('id').execute()).map(({ id }) => id);
}

/**
 * Projects of the workspace, newest first. Served by the primary key, for searches too: a workspace has thousands, not
 * millions.
 */
export async function listProjects(ctx: Ctx, query: ProjectQuery): Promise<Page<Project>> {
  const { limit, cursor, q } = query;
  const list = JSON.stringify(['projects', q]);
  let rows = ctx.db.selectFrom('projects').select(['id', 'name', 'created_at', 'delete_at']).where(inWorkspace(ctx));
  if (q !== undefined) rows = rows.where('name', 'ilike', `%${q.replaceAll(/[\\%_]/g, '\\$&')}%`);
  const page = await newestFirst(ctx, rows, { list, limit, cursor });
  return { items: page.rows.map((row) => ({ ...recordOf(row), id: row.id })), nextCursor: page.nextCursor };
}

/** @throws Problem NOT_FOUND, also for a project of another workspace */
export async function getProject(ctx: Pick<Ctx, 'db' | 'scope'> | TxCtx, id: ProjectId): Promise<Project> {
  const row = await ctx.db
    .selectFrom('projects')
    .select(['id', 'name', 'created_at', 'delete_at'])
    .where(inWorkspace(ctx))
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw problem('NOT_FOUND');
  return { ...recordOf(row), id: row.id };
}

/** The names of projects of the workspace. Served by the primary key. */
export async function projectNames(
  ctx: Pick<Ctx, 'db' | 'scope'>,
  ids: readonly ProjectId[],
): Promise<Map<ProjectId, string>> {
  const rows = await ctx.db
    .selectFrom('projects')
    .select(['id', 'name'])
    .where(inWorkspace(ctx))
    .where('id', '=', sql<ProjectId>`any(${[...ids]})`)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** The number of projects of the workspace. Served by the primary key. */
export async function countProjects(ctx: Pick<Ctx, 'db' | 'scope'>): Promise<number> {
  const row = await ctx.db
    .selectFrom('projects')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(inWorkspace(ctx))
    .executeTakeFirstOrThrow();
  return row.count;
}

/**
 * Renames a project, or (null) the scope's workspace; mails and pages use the new name from then on.
 * @throws Problem NOT_FOUND
 */
export async function renamePlace(tx: TxCtx, projectId: ProjectId | null, name: string): Promise<void> {
  const { workspaceId } = tx.scope;
  const { numUpdatedRows } = await (projectId === null
    ? tx.db.updateTable('workspaces').set({ name }).where('id', '=', workspaceId).executeTakeFirst()
    : tx.db
        .updateTable('projects')
        .set({ name })
        .where(inWorkspace(tx))
        .where('id', '=', projectId)
        .executeTakeFirst());
  if (numUpdatedRows === 0n) throw problem('NOT_FOUND');
  if (projectId === null) await emit(tx, 'workspace.updated', { workspaceId, name });
  else await emit(at(tx, { projectId }), 'project.updated', { projectId, name });
  await announce(tx, { topic: 'project', key: projectId ?? '*' });
}
