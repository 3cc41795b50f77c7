import { whenAbsent } from '#members';
import { at } from '#platform/scoped.ts';
import type { System } from '#platform/system.ts';
import { installationOf } from './installation.ts';
import { operatorPermissions } from './operator-permissions.ts';
import { lockRoleOf } from './team.ts';

/** Says what somebody of a workspace's team may do in a project now who asked for something earlier: nothing once they are out of it. */
export function answerForOperators(system: System): void {
  whenAbsent(system, 'operator', async (tx, { userId }) => {
    const { scope } = installationOf(tx.system);
    const role = await lockRoleOf(tx, userId);
    const installationRole = await lockRoleOf(at(tx, scope), userId);
    return operatorPermissions(tx, { role, installationRole });
  });
}
