import { sql } from 'kysely';
import type { Environment, TxCtx } from '#platform/ctx.ts';
import type { ProjectId, UserId, WorkspaceId } from '#platform/ids.ts';
import { inScope } from '#platform/scoped.ts';
import type { ImportId } from './imports.ts';

type MemberImportDryRunsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  import_id: ImportId;
  identifier: string;
  user_id: UserId;
};

declare module '#platform/db.ts' {
  interface Tables {
    member_import_dry_runs: MemberImportDryRunsTable;
  }
}

/**
 * Users who would be members if the previous rows had been imported. Locks the import until the transaction ends,
 * because rows processed concurrently may refer to the same person as these.
 * @param identifiers by kind and value
 * @returns those that would belong to a user
 */
export async function wouldBeMembers(
  tx: TxCtx,
  importId: ImportId,
  identifiers: readonly string[],
): Promise<Map<string, UserId>> {
  const { workspaceId, projectId, environment } = tx.scope;
  await sql`select from member_imports where workspace_id = ${workspaceId} and project_id = ${projectId}
    and environment = ${environment} and id = ${importId} for update`.execute(tx.db);
  const { rows } = await sql<{ identifier: string; user_id: UserId }>`
    select wanted.identifier, found.user_id from unnest(${[...identifiers]}::text[]) as wanted (identifier)
    cross join lateral (
      select user_id from member_import_dry_runs
      where workspace_id = ${workspaceId} and project_id = ${projectId} and environment = ${environment}
        and import_id = ${importId} and identifier = wanted.identifier collate "C"
      offset 0) found`.execute(tx.db);
  return new Map(rows.map((row) => [row.identifier, row.user_id]));
}

/** Stores, until the dry run is complete, the users these identifiers would belong to. */
export async function noteWouldBeMembers(
  tx: TxCtx,
  importId: ImportId,
  members: ReadonlyMap<string, UserId>,
): Promise<void> {
  const { workspaceId, projectId, environment } = tx.scope;
  await sql`insert into member_import_dry_runs (workspace_id, project_id, environment, import_id, identifier, user_id)
    select ${workspaceId}, ${projectId}, ${environment}, ${importId}, identifier, user_id
    from unnest(${[...members.keys()]}::text[], ${[...members.values()]}::text[]) as member (identifier, user_id)
    on conflict do nothing`.execute(tx.db);
}

export async function removeWouldBeMembers(tx: TxCtx, importId: ImportId): Promise<void> {
  await tx.db.deleteFrom('member_import_dry_runs').where(inScope(tx)).where('import_id', '=', importId).execute();
}
