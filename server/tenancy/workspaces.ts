import { randomBytes } from 'node:crypto';
import { type Generated, sql } from 'kysely';
import { insertTagKeys } from '#lasting-tags';
import type { Environment, TxCtx } from '#platform/ctx.ts';
import { announce } from '#platform/feed.ts';
import { newId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { scopeColumns } from '#platform/scoped.ts';
import { perSystem, type System } from '#platform/system.ts';
import { isClosed } from './closed-scopes.ts';

/** Set when the deletion is requested; see deletions.ts. */
type Deletable = { delete_at: Generated<Date | null>; removal_began_at: Generated<Date | null> };
type WorkspacesTable = { id: WorkspaceId; routing_key: string; name: string; created_at: Date } & Deletable;
type ProjectsTable = { workspace_id: WorkspaceId; id: ProjectId; name: string; created_at: Date } & Deletable;
type DefaultProjectsTable = { environment: Environment; workspace_id: WorkspaceId; project_id: ProjectId };

declare module '#platform/db.ts' {
  interface Tables {
    workspaces: WorkspacesTable;
    projects: ProjectsTable;
    default_projects: DefaultProjectsTable;
  }
}

const ALPHABET = 'abcdefghjkmnpqrstuvwxyz023456789';

/** Adds a workspace without users and projects. */
export async function createWorkspace(
  tx: Pick<TxCtx, 'db' | 'now' | 'system'>,
  name: string,
): Promise<{ id: WorkspaceId; routingKey: string }> {
  const id = newId('wrk', tx.now);
  const routingKey = [...randomBytes(8)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  await tx.db.insertInto('workspaces').values({ id, routing_key: routingKey, name, created_at: tx.now }).execute();
  await insertTagKeys(tx, id);
  return { id, routingKey };
}

/** Adds a project without its environments. Call `createProject` of `environments`, which adds those. */
export async function insertProject(tx: TxCtx, name: string): Promise<ProjectId> {
  const id = newId('prj', tx.now);
  const { workspaceId } = tx.scope;
  await tx.db.insertInto('projects').values({ workspace_id: workspaceId, id, name, created_at: tx.now }).execute();
  return id;
}

/** Makes a project its environment's default if there is none yet. */
export async function takeDefaultProject(tx: TxCtx): Promise<void> {
  const taken = await tx.db
    .selectFrom('default_projects')
    .select('workspace_id')
    .where('environment', '=', tx.scope.environment)
    .executeTakeFirst();
  if (!taken) await setDefaultProject(tx);
}

/** Makes a project the default for requests on an environment's own address that name no project. */
async function setDefaultProject(tx: TxCtx): Promise<void> {
  const { workspaceId, projectId } = tx.scope;
  await tx.db
    .insertInto('default_projects')
    .values({ ...scopeColumns(tx) })
    .onConflict((conflict) =>
      conflict.column('environment').doUpdateSet({ workspace_id: workspaceId, project_id: projectId }),
    )
    .execute();
  await announce(tx, { topic: 'project', key: '*' });
}

/**
 * An SQL condition for statements of other parts: the project of a row is the environment's default. The subselect runs
 * once per statement, not once per row.
 */
export function isDefaultProject(row: string, environment: Environment) {
  return sql<boolean>`(${sql.ref(`${row}.workspace_id`)}, ${sql.ref(`${row}.project_id`)})
    = (select workspace_id, project_id from default_projects where environment = ${environment})`;
}

/**
 * A lateral table for statements of other parts: the names of the project of a row and its workspace. Served by primary
 * keys.
 */
export function namesOf(row: string) {
  return sql<{ workspaceName: string; routingKey: string; projectName: string }>`(
    select w.name as "workspaceName", w.routing_key as "routingKey", p.name as "projectName"
    from projects p join workspaces w on w.id = p.workspace_id
    where p.workspace_id = ${sql.ref(`${row}.workspace_id`)} and p.id = ${sql.ref(`${row}.project_id`)})`.as<'names'>(
    sql`names`,
  );
}

/**
 * The workspace whose routing key a bearer secret or client id contains, unless it is closed. Keys never change, so
 * results are cached.
 */
export async function workspaceByRoutingKey(system: System, routingKey: string): Promise<WorkspaceId | undefined> {
  const workspaceId = await routedTo(system, routingKey);
  return workspaceId && !(await isClosed(system, { workspaceId })) ? workspaceId : undefined;
}

async function routedTo(system: System, routingKey: string): Promise<WorkspaceId | undefined> {
  const known = routing(system).get(routingKey);
  if (known) return known;
  const row = await system.lookups
    .selectFrom('workspaces')
    .select('id')
    .where('routing_key', '=', routingKey)
    .executeTakeFirst();
  if (row) routing(system).set(routingKey, row.id);
  return row?.id;
}

const routing = perSystem(() => new Map<string, WorkspaceId>());
