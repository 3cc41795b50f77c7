import { findProject } from '#environments';
import type { Scope } from '#platform/ctx.ts';
import type { SystemInTx } from '#platform/system.ts';
import { installationOf } from './installation.ts';
import type { OperatorSession } from './operator-sessions.ts';
import { grantableBy, permissionsForInstallation, permissionsOfTeamRole } from './team-roles.ts';

/**
 * What a team member may do in a scope. The public status belongs to the installation: in the project that keeps it,
 * only the installation's team grants `status:write`. In every other project the permission has no effect and is listed
 * like any other.
 */
export async function operatorPermissions(
  { system, scope }: { system: SystemInTx; scope: Scope },
  { role, installationRole }: Pick<OperatorSession, 'role' | 'installationRole'>,
): Promise<string[]> {
  const kind = { builtIn: scope.workspaceId === installationOf(system).scope.workspaceId };
  const here = (await keepsStatus(system, scope))
    ? permissionsOfTeamRole(system, role, kind)
    : grantableBy(system, role, kind);
  return [...here, ...permissionsForInstallation(installationRole)];
}

/** The status of an environment is kept in its default project. */
async function keepsStatus(system: SystemInTx, { workspaceId, projectId, environment }: Scope): Promise<boolean> {
  const keeper = await findProject(system, { environment, default: true });
  return keeper?.workspaceId === workspaceId && keeper.projectId === projectId;
}
