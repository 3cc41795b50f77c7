import { eraseFromAudit } from '#audit';
import { anonymiseEvents } from '#events';
import { addressesOf } from '#identifiers';
import type { TxCtx } from '#platform/ctx.ts';
import type { UserId } from '#platform/ids.ts';
import { at } from '#platform/scoped.ts';
import { workspaceScope } from './edge.ts';
import { installationOf } from './installation.ts';
import { keepOwnersWithout, removeFromTeams } from './team.ts';
import { removeTeamInvitations } from './team-invitations.ts';

/** Blocks the erasure of the last owner of a workspace. */
export function keepTeamsOwned(tx: TxCtx, userId: UserId): Promise<void> {
  return ofOperators(tx, () => keepOwnersWithout(tx, userId));
}

/** Removes an erased operator from every team, and their addresses from the logs of the workspaces that invited them. */
export function leaveTeams(tx: TxCtx, userId: UserId): Promise<void> {
  return ofOperators(tx, async () => {
    const addresses = (await addressesOf(tx, userId)).map(({ value }) => value);
    await removeFromTeams(tx, userId);
    for (const workspaceId of await removeTeamInvitations(tx, addresses)) {
      const inside = at(tx, workspaceScope(workspaceId));
      // biome-ignore lint/performance/noAwaitInLoops: one connection, one statement after the other
      await anonymiseEvents(inside, userId, addresses);
      await eraseFromAudit(inside, userId, addresses);
    }
  });
}

/** Skips users who are not operators, as they are in no team. */
async function ofOperators(tx: TxCtx, work: () => Promise<void>): Promise<void> {
  const { workspaceId, environment } = installationOf(tx.system).scope;
  if (tx.scope.workspaceId === workspaceId && tx.scope.environment === environment) await work();
}
