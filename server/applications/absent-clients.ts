import { whenAbsent } from '#members';
import type { System } from '#platform/system.ts';

/** Says what a management client may do now that asked for something earlier: nothing once it is switched off or removed. */
export function answerForClients(system: System): void {
  whenAbsent(system, 'management', async (tx, { applicationId }) => {
    const row = await tx.db
      .selectFrom('applications')
      .select('permissions')
      .where('workspace_id', '=', tx.scope.workspaceId)
      .where('project_id', '=', tx.scope.projectId)
      .where('environment', '=', tx.scope.environment)
      .where('id', '=', applicationId)
      .where('enabled', '=', true)
      .forShare()
      .executeTakeFirst();
    return row?.permissions ?? [];
  });
}
