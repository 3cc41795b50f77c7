import { sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { lastSequence } from '#events';
import type { Ctx } from '#platform/ctx.ts';

/**
 * The state of the whole log at the time of an export, from separate tables. An attacker who removes the newest entries
 * has to change all of them, and still contradicts checkpoints that are kept elsewhere.
 */
export const Evidence = Type.Object({
  /** The last sequence given to an event. */
  numbered: Type.Integer(),
  /** The sequence of the chain's head. 0: no entry. */
  head: Type.Integer(),
  /** The sequence of the newest entry. 0: none. */
  end: Type.Integer(),
  /** The newest entry that a checkpoint signs, the number of checkpoints, and the number that were ever signed. */
  signed: Type.Integer(),
  checkpoints: Type.Integer(),
  checkpointsMade: Type.Integer(),
});
export type Evidence = Static<typeof Evidence>;

type Kept = { [Name in Exclude<keyof Evidence, 'numbered'>]: number };

/** Reads the counter first, so that events numbered meanwhile are no contradiction. Served by the primary keys. */
export async function evidenceOf(ctx: Ctx): Promise<Evidence> {
  const numbered = await lastSequence(ctx);
  const { workspaceId, projectId, environment } = ctx.scope;
  const { rows } = await sql<Kept>`
    select coalesce(head.sequence, 0) as head, coalesce(head.checkpoints, 0) as "checkpointsMade",
      (select coalesce(max(e.sequence), 0) from audit_entries e
       where (e.workspace_id, e.project_id, e.environment) = (scope.workspace_id, scope.project_id, scope.environment)) as "end",
      signed.newest as signed, signed.count as checkpoints
    from (values (${workspaceId}, ${projectId}, ${environment})) as scope (workspace_id, project_id, environment)
    left join audit_heads head using (workspace_id, project_id, environment)
    cross join lateral (
      select coalesce(max(c.sequence), 0) as newest, count(*) as count from audit_checkpoints c
      where (c.workspace_id, c.project_id, c.environment) = (scope.workspace_id, scope.project_id, scope.environment)) signed`.execute(
    ctx.system.db,
  );
  const [kept] = rows;
  if (!kept) throw new Error('Expected one row.');
  return { numbered, ...kept };
}

/** @returns the contradiction between these numbers; undefined if they agree */
export function contradictionIn({ numbered, head, end, signed, ...checkpoints }: Evidence): string | undefined {
  const known = Math.max(numbered, head, signed);
  if (known > end)
    return `The end of the log is missing: the log had reached entry ${known}, but its newest entry is ${end === 0 ? 'none' : end}.`;
  const removed = checkpoints.checkpointsMade - checkpoints.checkpoints;
  if (removed > 0) return `Checkpoints were removed from the database: ${removed} of ${checkpoints.checkpointsMade}.`;
  return undefined;
}
