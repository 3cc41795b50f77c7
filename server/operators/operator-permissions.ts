import type { Scope } from '#platform/ctx.ts';
import type { SystemInTx } from '#platform/system.ts';
import { findProject } from '#tenancy';
import { installationOf } from './installation.ts';
import type { OperatorSession } from './operator-sessions.ts';
import { grantableBy, permissionsForInstallation, permissionsOfTeamRole } from './team-roles.ts';

/**
 * What somebody of a team may do in a place. The public status is the installation's: where it is kept, `status:write` comes from the
 * team of the installation alone. In every other project it opens nothing, and is one permission among others of a role.
 */
export async function operatorPermissions(
  { system, scope }: { system: SystemInTx; scope: Scope },
  { role, installationRole }: Pick<OperatorSession, 'role' | 'installationRole'>,
): Promise<string[]> {
  const kind = { builtIn: scope.workspaceId === installationOf(system).scope.workspaceId };
  const here = (await keepsStatus(system, scope)) ? permissionsOfTeamRole(role, kind) : grantableBy(role, kind);
  return [...here, ...permissionsForInstallation(installationRole)];
}

/** The default project of an environment keeps its status. */
async function keepsStatus(system: SystemInTx, { workspaceId, projectId, environment }: Scope): Promise<boolean> {
  const keeper = await findProject(system, { environment, default: true });
  return keeper?.workspaceId === workspaceId && keeper.projectId === projectId;
}
