import { addressesOf } from '#identifiers';
import { joinErasures } from '#people';
import type { TxCtx } from '#platform/ctx.ts';
import type { System } from '#platform/system.ts';
import { installationOf } from './installation.ts';
import { keepOwnersWithout, removeFromTeams } from './team.ts';
import { removeTeamInvitations } from './team-invitations.ts';

/** Blocks the erasure of the last owner of a workspace, and removes an erased operator from every team. */
export function keepTeamsWhole(system: System): void {
  joinErasures(system, {
    requested: (tx, userId) => ofOperators(tx, () => keepOwnersWithout(tx, userId)),
    erased: (tx, userId) =>
      ofOperators(tx, async () => {
        const addresses = (await addressesOf(tx, userId)).map(({ value }) => value);
        await removeFromTeams(tx, userId);
        await removeTeamInvitations(tx, addresses);
      }),
  });
}

/** Skips users who are not operators, as they are in no team. */
async function ofOperators(tx: TxCtx, work: () => Promise<void>): Promise<void> {
  const { workspaceId, environment } = installationOf(tx.system).scope;
  if (tx.scope.workspaceId === workspaceId && tx.scope.environment === environment) await work();
}
