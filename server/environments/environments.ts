import { sql } from 'kysely';
import { emit } from '#events';
import { type Environment, environments, type Scope, type TxCtx } from '#platform/ctx.ts';
import type { Json, ReadDb } from '#platform/db.ts';
import { announce } from '#platform/feed.ts';
import { feedCache } from '#platform/feed-cache.ts';
import type { ProjectId, WorkspaceId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { acrossProjects, at, inScope, scopeColumns } from '#platform/scoped.ts';
import type { SystemInTx } from '#platform/system.ts';
import { type Branding, effectiveSettings, type Settings } from '#settings';
import { compileStyleSheet } from '#style-sheets';
import { CLOSING_TOPIC, insertProject, isClosed, isDefaultProject, namesOf } from '#tenancy';

type ProjectEnvironmentsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  settings: Json<Partial<Settings>>;
  created_at: Date;
  updated_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    project_environments: ProjectEnvironmentsTable;
  }
}

/** A project in one environment, with everything that a request needs to know about it. */
type ProjectEnvironment = {
  workspaceId: WorkspaceId;
  workspaceName: string;
  routingKey: string;
  projectId: ProjectId;
  projectName: string;
  environment: Environment;
  settings: Settings;
};

/** Adds a project with both of its environments. `tx.scope.projectId` is ignored: the new project's id is returned. */
export async function createProject(tx: TxCtx, name: string): Promise<ProjectId> {
  const id = await insertProject(tx, name);
  const rows = environments.map((environment) => ({
    ...scopeColumns(at(tx, { projectId: id, environment })),
    settings: '{}',
    created_at: tx.now,
    updated_at: tx.now,
  }));
  await tx.db.insertInto('project_environments').values(rows).execute();
  await emit(at(tx, { projectId: id }), 'project.created', { projectId: id, name });
  return id;
}

/**
 * Changes the given settings of the scope. Each process applies them when the change feed reports the change.
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
  if (changes.branding) await requireFittingCss(settings.branding);
  await emit(tx, 'project.settings.updated', { changed: Object.keys(changes) });
  await announce(tx, { topic: 'project', key: projectId });
}

/** @throws Problem VALIDATION_FAILED */
async function requireFittingCss({ css, ...ground }: Branding): Promise<void> {
  if (!css) return;
  const { faults } = await compileStyleSheet(css, ground);
  const errors = faults.map(({ line, column, message }) => ({
    pointer: '/body/branding/css',
    message: `line ${line}, column ${column}: ${message}`,
  }));
  if (errors.length > 0) throw problem('VALIDATION_FAILED', { extensions: { errors } });
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

/**
 * The project of a scope that is known to exist.
 * @param db the transaction that creates it, if any
 */
export async function projectOf(system: SystemInTx, scope: Scope, db?: ReadDb): Promise<ProjectEnvironment> {
  const project = db ? await loadProject(db, scope) : await projects(system, scope);
  if (!project) throw new Error(`The project ${scope.projectId} (${scope.environment}) does not exist.`);
  return project;
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
    .innerJoinLateral(namesOf('pe'), (join) => join.onTrue())
    .where('pe.environment', '=', lookup.environment)
    .select([
      'pe.workspace_id as workspaceId',
      'workspaceName',
      'routingKey',
      'pe.project_id as projectId',
      'projectName',
      'pe.environment',
      'pe.settings',
    ]);
  const row = await ('default' in lookup
    ? query.where(isDefaultProject('pe', lookup.environment))
    : query.where('pe.workspace_id', '=', lookup.workspaceId).where('pe.project_id', '=', lookup.projectId)
  ).executeTakeFirst();
  return row && { ...row, settings: effectiveSettings(row.environment, row.settings) };
}

/** Locks one environment of a project, which serializes its changes. Served by the primary key. */
export async function lockEnvironment({ db, scope }: TxCtx): Promise<void> {
  await db.selectFrom('project_environments').select('project_id').where(inScope({ scope })).forUpdate().execute();
}
