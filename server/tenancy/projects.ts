import { randomBytes } from 'node:crypto';
import { type Generated, sql } from 'kysely';
import { emit } from '#events';
import type { Environment, Scope, TxCtx } from '#platform/ctx.ts';
import { environments } from '#platform/ctx.ts';
import type { Json, ReadDb } from '#platform/db.ts';
import { announce } from '#platform/feed.ts';
import { feedCache } from '#platform/feed-cache.ts';
import { newId, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { acrossProjects, at, inScope, inWorkspace, scopeColumns } from '#platform/scoped.ts';
import { perSystem, type System, type SystemInTx } from '#platform/system.ts';
import { effectiveSettings, type Settings } from '#settings';
import { CLOSING_TOPIC, isClosed } from './closed-scopes.ts';

/** Set when the deletion is requested; see deletions.ts. */
type Deletable = { delete_at: Generated<Date | null>; removal_began_at: Generated<Date | null> };
type WorkspacesTable = { id: WorkspaceId; routing_key: string; name: string; created_at: Date } & Deletable;
type ProjectsTable = { workspace_id: WorkspaceId; id: ProjectId; name: string; created_at: Date } & Deletable;
type ProjectEnvironmentsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  settings: Json<Partial<Settings>>;
  created_at: Date;
  updated_at: Date;
};
type DefaultProjectsTable = { environment: Environment; workspace_id: WorkspaceId; project_id: ProjectId };

declare module '#platform/db.ts' {
  interface Tables {
    workspaces: WorkspacesTable;
    projects: ProjectsTable;
    project_environments: ProjectEnvironmentsTable;
    default_projects: DefaultProjectsTable;
  }
}

/** A project in one environment, with everything that a request needs to know about it. */
export type ProjectEnvironment = {
  workspaceId: WorkspaceId;
  workspaceName: string;
  routingKey: string;
  projectId: ProjectId;
  projectName: string;
  environment: Environment;
  settings: Settings;
};

const ALPHABET = 'abcdefghjkmnpqrstuvwxyz023456789';

/** Adds a workspace without users and projects. */
export async function createWorkspace(
  tx: Pick<TxCtx, 'db' | 'now'>,
  name: string,
): Promise<{ id: WorkspaceId; routingKey: string }> {
  const id = newId('wrk', tx.now);
  const routingKey = [...randomBytes(8)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  await tx.db.insertInto('workspaces').values({ id, routing_key: routingKey, name, created_at: tx.now }).execute();
  return { id, routingKey };
}

/** Adds a project with both of its environments. `tx.scope.projectId` is ignored: the new project's id is returned. */
export async function createProject(tx: TxCtx, name: string): Promise<ProjectId> {
  const id = newId('prj', tx.now);
  const { workspaceId } = tx.scope;
  await tx.db.insertInto('projects').values({ workspace_id: workspaceId, id, name, created_at: tx.now }).execute();
  const rows = environments.map((environment) => ({
    workspace_id: workspaceId,
    project_id: id,
    environment,
    settings: '{}',
    created_at: tx.now,
    updated_at: tx.now,
  }));
  await tx.db.insertInto('project_environments').values(rows).execute();
  await emit(at(tx, { projectId: id }), 'project.created', { projectId: id, name });
  return id;
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
 * Changes the given settings of the scope. Effective in every process when it hears of the change.
 * @throws Problem VALIDATION_FAILED for test phone numbers in production, or a default language that is not offered
 */
export async function updateSettings(tx: TxCtx, changes: Partial<Settings>): Promise<void> {
  const { projectId, environment } = tx.scope;
  if (environment === 'production' && (changes.testPhoneNumbers ?? []).length > 0)
    throw invalid('testPhoneNumbers', 'exist in the test environment only');
  await tx.db
    .updateTable('project_environments')
    .set({ settings: sql`settings || ${JSON.stringify(changes)}::jsonb`, updated_at: tx.now })
    .where(inScope(tx))
    .execute();
  // Read after the write, which is serialized: concurrent changes can't combine into a state that neither alone may
  // produce.
  const { settings } = await projectOf(tx.system, tx.scope, tx.db);
  if (!settings.locales.includes(settings.defaultLanguage))
    throw invalid(changes.locales ? 'locales' : 'defaultLanguage', 'the default language must be one of `locales`');
  await emit(tx, 'project.settings.updated', { changed: Object.keys(changes) });
  await announce(tx, { topic: 'project', key: projectId });
}

function invalid(setting: string, message: string) {
  return problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: `/body/${setting}`, message }] } });
}

type Lookup =
  | { environment: Environment; workspaceId: WorkspaceId; projectId: ProjectId }
  | { environment: Environment; default: true };

/**
 * Finds a project environment by ids, or the environment's default project, unless it is closed. Cached while the
 * change feed is live.
 */
export async function findProject(system: SystemInTx, lookup: Lookup): Promise<ProjectEnvironment | undefined> {
  const found = await projects(system, lookup);
  return found && !(await isClosed(system, found)) ? found : undefined;
}

/** True if a project exists, open or closed. */
export async function projectExists(system: System, scope: Scope): Promise<boolean> {
  return (await loadProject(system.db, scope)) !== undefined;
}

/**
 * The project of a scope that is known to exist.
 * @param db the transaction that creates it, if any
 */
export async function projectOf(system: SystemInTx, scope: Scope, db?: ReadDb): Promise<ProjectEnvironment> {
  const project = db ? await loadProject(db, scope) : await projects(system, scope);
  if (!project) throw new Error(`The project ${scope.projectId} (${scope.environment}) does not exist.`);
  return project;
}

/**
 * True when the installation has no workspace.
 * @param besides the built-in workspace, which does not count
 */
export async function isEmptyInstallation(db: ReadDb, besides: WorkspaceId | null): Promise<boolean> {
  const row = await db
    .selectFrom('workspaces')
    .select('id')
    .where('id', '!=', besides ?? 'wrk_')
    .limit(1)
    .executeTakeFirst();
  return row === undefined;
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

const projects = feedCache({
  topics: ['project', CLOSING_TOPIC],
  keyOf: (lookup: Lookup) =>
    'default' in lookup ? lookup.environment : `${lookup.environment}/${lookup.workspaceId}/${lookup.projectId}`,
  load: ({ lookups }, lookup) => loadProject(lookups, lookup),
  max: 10_000,
});

/** True if any project of the workspace requires a second factor in this environment. Served by the primary key. */
export async function isMfaRequiredAnywhere({ db, scope }: { db: ReadDb; scope: Scope }): Promise<boolean> {
  const row = await db
    .selectFrom('project_environments')
    .select('project_id')
    .where(acrossProjects({ scope }))
    .where(sql<boolean>`settings->>'mfa' = 'required'`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

async function loadProject(db: ReadDb, lookup: Lookup): Promise<ProjectEnvironment | undefined> {
  const query = db
    .selectFrom('project_environments as pe')
    .innerJoin('projects as p', (join) =>
      join.onRef('p.workspace_id', '=', 'pe.workspace_id').onRef('p.id', '=', 'pe.project_id'),
    )
    .innerJoin('workspaces as w', 'w.id', 'pe.workspace_id')
    .where('pe.environment', '=', lookup.environment)
    .select([
      'pe.workspace_id',
      'w.name as workspace_name',
      'w.routing_key',
      'pe.project_id',
      'p.name as project_name',
      'pe.environment',
      'pe.settings',
    ]);
  const row = await ('default' in lookup
    ? query.innerJoin('default_projects as d', (join) =>
        join
          .onRef('d.environment', '=', 'pe.environment')
          .onRef('d.workspace_id', '=', 'pe.workspace_id')
          .onRef('d.project_id', '=', 'pe.project_id'),
      )
    : query.where('pe.workspace_id', '=', lookup.workspaceId).where('pe.project_id', '=', lookup.projectId)
  ).executeTakeFirst();
  if (!row) return undefined;
  return {
    workspaceId: row.workspace_id,
    workspaceName: row.workspace_name,
    routingKey: row.routing_key,
    projectId: row.project_id,
    projectName: row.project_name,
    environment: row.environment,
    settings: effectiveSettings(row.environment, row.settings),
  };
}

/** The names of projects of the workspace. Served by the primary key. */
export async function projectNames(
  ctx: { db: ReadDb; scope: Scope },
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

/** Locks one environment of a project, which serializes its changes. Served by the primary key. */
export async function lockEnvironment({ db, scope }: TxCtx): Promise<void> {
  await db.selectFrom('project_environments').select('project_id').where(inScope({ scope })).forUpdate().execute();
}
