import { type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Environment, Scope } from './ctx.ts';
import type { ProjectId, WorkspaceId } from './ids.ts';

type Scoped<Parts extends keyof Scope = keyof Scope> = { scope: Pick<Scope, Parts> };
type InRealm = Scoped<'workspaceId' | 'environment'>;

/** The columns of the statement's table: of the table with this alias, or of the only table. */
type Columns<DB, TB extends keyof DB, Alias> = Alias extends TB ? keyof DB[Alias] : keyof DB[TB];

type Demand<Has, Wanted extends string, Unwanted extends string> = [Wanted] extends [Has]
  ? [Extract<Has, Unwanted>] extends [never]
    ? unknown
    : { error: `The table also has ${Unwanted}.` }
  : { error: `The table lacks ${Exclude<Wanted, Has>}.` };

/** A condition for `.where()`. It accepts only a table that has the wanted columns and none of the unwanted ones. */
type Condition<Alias, Wanted extends string, Unwanted extends string = never> = <DB, TB extends keyof DB>(
  eb: ExpressionBuilder<DB, TB> & Demand<Columns<DB, TB, Alias>, Wanted, Unwanted>,
) => RawBuilder<SqlBool>;

/**
 * Rows of one project in one environment.
 * @param alias the alias of the table, if the statement has several
 */
export function inScope<Alias extends string>(
  { scope }: Scoped,
  alias?: Alias,
): Condition<Alias, 'workspace_id' | 'project_id' | 'environment'> {
  const { workspaceId, projectId, environment } = scope;
  const at = columnsOf(alias);
  return () =>
    sql`${at('workspace_id')} = ${workspaceId} and ${at('project_id')} = ${projectId} and ${at('environment')} = ${environment}`;
}

/** Rows of one workspace and environment that belong to no project: users and their credentials. */
export function inRealm<Alias extends string>(
  ctx: InRealm,
  alias?: Alias,
): Condition<Alias, 'workspace_id' | 'environment', 'project_id'> {
  return ofRealm(ctx, alias);
}

/** Rows of all projects of one workspace and environment. */
export function acrossProjects<Alias extends string>(
  ctx: InRealm,
  alias?: Alias,
): Condition<Alias, 'workspace_id' | 'project_id' | 'environment'> {
  return ofRealm(ctx, alias);
}

function ofRealm({ scope }: InRealm, alias?: string) {
  const at = columnsOf(alias);
  return () =>
    sql<SqlBool>`${at('workspace_id')} = ${scope.workspaceId} and ${at('environment')} = ${scope.environment}`;
}

/** Rows of one workspace that belong to no environment. */
export function inWorkspace<Alias extends string>(
  { scope }: Scoped<'workspaceId'>,
  alias?: Alias,
): Condition<Alias, 'workspace_id', 'environment'> {
  return () => sql`${columnsOf(alias)('workspace_id')} = ${scope.workspaceId}`;
}

function columnsOf(alias: string | undefined) {
  return (column: string) => sql.ref(alias === undefined ? column : `${alias}.${column}`);
}

/** The scope columns of a new row of a project. */
export function scopeColumns({ scope }: Scoped): {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
} {
  return { ...realmColumns({ scope }), project_id: scope.projectId };
}

/** The scope columns of a new row of a user. */
export function realmColumns({ scope }: InRealm): { workspace_id: WorkspaceId; environment: Environment } {
  return { workspace_id: scope.workspaceId, environment: scope.environment };
}

/** The same context in another scope. */
export function at<C extends Scoped>(ctx: C, place: Partial<Scope>): C {
  return { ...ctx, scope: { ...ctx.scope, ...place } };
}
