import { sql } from 'kysely';
import type { TxCtx } from './ctx.ts';
import type { Tables } from './db.ts';
import type { ProjectId, UserId, WorkspaceId } from './ids.ts';

/** What is removed for good: a project or, if `projectId` is null, a whole workspace. */
export type Removed = { workspaceId: WorkspaceId; projectId: ProjectId | null };

/** Removes, in batches, what a part stores about a removed project or workspace. */
export type Removal = {
  /** The tables it empties, including those that the database empties by cascade. */
  tables: readonly (keyof Tables)[];
  /**
   * @param limit about how many rows
   * @returns the number of removed rows; 0 if none are left
   */
  remove: (tx: TxCtx, removed: Removed, limit: number) => Promise<number>;
};

/**
 * Rows that name their project.
 * @param along tables whose rows refer to these and are deleted by cascade
 */
export function rowsOfProject(table: keyof Tables, ...along: (keyof Tables)[]): Removal {
  return {
    tables: [table, ...along],
    remove: (tx, removed, limit) => removeRows(tx, table, { where: ofRemoved(removed), limit }),
  };
}

/** Rows that belong to a workspace and to none of its projects. */
export function rowsOfWorkspace(table: keyof Tables, ...along: (keyof Tables)[]): Removal {
  return {
    tables: [table, ...along],
    remove: async (tx, removed, limit) =>
      removed.projectId === null ? removeRows(tx, table, { where: ofRemoved(removed), limit }) : 0,
  };
}

/** The condition for rows that name their project. */
export function ofRemoved({ workspaceId, projectId }: Removed) {
  return projectId === null
    ? sql`workspace_id = ${workspaceId}`
    : sql`workspace_id = ${workspaceId} and project_id = ${projectId}`;
}

/** `where` names the workspace of the rows; at most `limit` of them are removed. */
type Portion = { where: ReturnType<typeof ofRemoved>; limit: number };

/** SQL: the condition for some of the rows. It stands outside of the subquery, too, because a cluster finds the server by it. */
export function portionOf(table: keyof Tables, { where, limit }: Portion) {
  return sql`${where} and ctid = any(array(select ctid from ${sql.table(table)} where ${where} limit ${limit}))`;
}

/**
 * Removes some rows of a table that the caller owns.
 * @returns their number
 */
export async function removeRows({ db }: Pick<TxCtx, 'db'>, table: keyof Tables, portion: Portion): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ${portionOf(table, portion)}`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/**
 * Deletes the rows of a user that were added since then, from a table that the caller owns; `at`: the column with the
 * time.
 */
export function rowsSince(table: keyof Tables, at: string) {
  return async ({ db, scope }: TxCtx, { userId, since }: { userId: UserId; since: Date }): Promise<void> => {
    await sql`delete from ${sql.table(table)} where workspace_id = ${scope.workspaceId} and environment = ${scope.environment}
      and user_id = ${userId} and ${sql.ref(at)} >= ${since}`.execute(db);
  };
}
