import { addressesOf, joinErasures } from '#people';
import type { TxCtx } from '#platform/ctx.ts';
import type { System } from '#platform/system.ts';
import { installationOf } from './installation.ts';
import { keepOwnersWithout, removeFromTeams } from './team.ts';
import { forgetTeamInvitations } from './team-invitations.ts';

/** Operators are people, too: the last owner of a workspace can't be erased, and who is erased is in no team any more. */
export function keepTeamsWhole(system: System): void {
  joinErasures(system, {
    requested: (tx, userId) => ofOperators(tx, () => keepOwnersWithout(tx, userId)),
    erased: (tx, userId) =>
      ofOperators(tx, async () => {
        const addresses = (await addressesOf(tx, userId)).map(({ value }) => value);
        await removeFromTeams(tx, userId);
        await forgetTeamInvitations(tx, addresses);
      }),
  });
}

/** Customers are in no team. */
async function ofOperators(tx: TxCtx, work: () => Promise<void>): Promise<void> {
  const { workspaceId, environment } = installationOf(tx.system).scope;
  if (tx.scope.workspaceId === workspaceId && tx.scope.environment === environment) await work();
}
