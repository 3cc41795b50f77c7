import { sql } from 'kysely';
import type { TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { deleteOldRows } from '#platform/part.ts';
import { ofRemoved, portionOf, type Removal } from '#platform/removal.ts';
import { inRealm } from '#platform/scoped.ts';
import type { System } from '#platform/system.ts';

/** Removes every session of users who belong to no project. Their tokens became invalid when the project was closed. */
export async function removeSessionsOf(tx: TxCtx, userIds: readonly UserId[]): Promise<void> {
  await tx.db
    .deleteFrom('sessions')
    .where(inRealm(tx))
    .where('user_id', '=', sql<UserId>`any(${[...userIds]})`)
    .execute();
}

/**
 * Refresh tokens have no index by entry, so each portion scans those of the workspace: a few large portions are
 * cheaper.
 */
const MANY = 10;

/** Removes the entries of sessions in a project, with their refresh tokens. */
export const entriesOfProject: Removal = {
  tables: ['scope_entries', 'refresh_tokens'],
  remove: async (tx, removed, limit) => {
    const { rows } = await sql<{ id: string }>`
      delete from scope_entries where ${portionOf('scope_entries', { where: ofRemoved(removed), limit: limit * MANY })}
      returning id`.execute(tx.db);
    // A list to check each token against: with a join, a planner without statistics compares every pair.
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0)
      await sql`delete from refresh_tokens where workspace_id = ${removed.workspaceId} and entry_id = any(${ids})`.execute(
        tx.db,
      );
    return rows.length;
  },
};

/** Known devices are recognised by the sessions of as many days. */
const SESSIONS_KEPT_MS = 90 * 86_400_000;
/** Removes sessions that ended long ago, with their scope entries. Runs as a job. Served by sessions_expired. */
export async function removeDeadSessions(system: System): Promise<void> {
  const before = new Date(system.clock.now().getTime() - SESSIONS_KEPT_MS);
  await deleteOldRows(system, 'sessions', { column: 'expires_at', before });
}
