import { whenAbsent } from '#members';
import { at } from '#platform/scoped.ts';
import type { System } from '#platform/system.ts';
import { installationOf } from './installation.ts';
import { operatorPermissions } from './operator-permissions.ts';
import { lockRoleOf } from './team.ts';

/**
 * Registers what an operator who requested something earlier may do in a project now: nothing after leaving the team.
 */
export function answerForOperators(system: System): void {
  whenAbsent(system, 'operator', async (tx, { userId }) => {
    const { scope } = installationOf(tx.system);
    const role = await lockRoleOf(tx, userId);
    const installationRole = await lockRoleOf(at(tx, scope), userId);
    return operatorPermissions(tx, { role, installationRole });
  });
}
