import type { OperatorActor, TxCtx } from '#platform/ctx.ts';
import { at } from '#platform/scoped.ts';
import { installationOf } from './installation.ts';
import { operatorPermissions } from './operator-permissions.ts';
import { lockRoleOf, roleOf } from './team.ts';

/** What an operator who requested something earlier may do in a project now: nothing after leaving the team. */
export async function permissionsOfAbsent(tx: TxCtx, { userId }: OperatorActor): Promise<readonly string[]> {
  const { scope } = installationOf(tx.system);
  const role = await lockRoleOf(tx, userId);
  const installationRole = await roleOf(at(tx, scope), userId);
  return operatorPermissions(tx, { role, installationRole });
}
