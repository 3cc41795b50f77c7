import { sql } from 'kysely';
import type { TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { ofRemoved, type Removal } from '#platform/removal.ts';
import { inRealm } from '#platform/scoped.ts';

/** Removes every session of people who belong to no project any more. Their tokens have been dead since the project was closed. */
export async function removeSessionsOf(tx: TxCtx, userIds: readonly UserId[]): Promise<void> {
  await tx.db
    .deleteFrom('sessions')
    .where(inRealm(tx))
    .where('user_id', '=', sql<UserId>`any(${[...userIds]})`)
    .execute();
}

/** Refresh tokens are not found by their entry, so that each portion reads those of the workspace: few large ones are better. */
const MANY = 10;

/** What sessions were in a project: entries, with the refresh tokens that were issued for them. */
export const entriesOfProject: Removal = {
  tables: ['scope_entries', 'refresh_tokens'],
  remove: async (tx, removed, limit) => {
    const { rows } = await sql<{ id: string }>`
      delete from scope_entries where ctid = any(array(
        select ctid from scope_entries where ${ofRemoved(removed)} limit ${limit * MANY})) returning id`.execute(tx.db);
    // As a list, which is looked up for each token: joined, a planner without statistics compares each with each.
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0)
      await sql`delete from refresh_tokens where workspace_id = ${removed.workspaceId} and entry_id = any(${ids})`.execute(
        tx.db,
      );
    return rows.length;
  },
};
