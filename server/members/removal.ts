import { sql } from 'kysely';
import { lockUsers, scheduleErasures } from '#people';
import type { Environment, TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { ofRemoved, portionOf, type Removal, type Removed, removeRows } from '#platform/removal.ts';
import { acrossProjects } from '#platform/scoped.ts';
import { removeSessionsOf } from '#sessions';

/**
 * Removes members with their roles. Schedules the erasure of accounts that belong to no other project, as when a person
 * leaves.
 */
export const membersOfProject: Removal = {
  tables: ['members', 'member_roles'],
  remove: async (tx, removed, limit) => {
    const where = ofRemoved(removed);
    if (removed.projectId === null) return removeRows(tx, 'members', { where, limit });
    const { rows } = await sql<{ environment: Environment; user_id: UserId }>`
      delete from members where ${portionOf('members', { where, limit })}
      returning environment, user_id`.execute(tx.db);
    for (const [environment, gone] of Map.groupBy(rows, (row) => row.environment)) {
      const inside: TxCtx = { ...tx, scope: { ...removedScope(removed, tx), environment } };
      // biome-ignore lint/performance/noAwaitInLoops: two environments, one connection
      await letGo(
        inside,
        gone.map((row) => row.user_id),
      );
    }
    return rows.length;
  },
};

function removedScope({ workspaceId, projectId }: Removed, { scope }: TxCtx) {
  return { ...scope, workspaceId, projectId: projectId ?? scope.projectId };
}

/**
 * Schedules the erasure of those of these people who are members of no other project. Waits for people who are joining
 * one.
 */
async function letGo(tx: TxCtx, userIds: readonly UserId[]): Promise<void> {
  await lockUsers(tx, userIds);
  const rows = await tx.db
    .selectFrom('members')
    .select('user_id')
    .where(acrossProjects(tx))
    .where('user_id', '=', sql<UserId>`any(${[...userIds]})`)
    .execute();
  const staying = new Set(rows.map((row) => row.user_id));
  const orphans = userIds.filter((userId) => !staying.has(userId));
  if (orphans.length === 0) return;
  await removeSessionsOf(tx, orphans);
  await scheduleErasures(tx, orphans);
}
