import { whenAbsent } from '#members';
import { inScope } from '#platform/scoped.ts';
import type { System } from '#platform/system.ts';

/**
 * Reports the current permissions of a management client that requested something earlier: none once it is disabled or
 * removed.
 */
export function answerForClients(system: System): void {
  whenAbsent(system, 'management', async (tx, { applicationId }) => {
    const row = await tx.db
      .selectFrom('applications')
      .select('permissions')
      .where(inScope(tx))
      .where('id', '=', applicationId)
      .where('enabled', '=', true)
      .forShare()
      .executeTakeFirst();
    return row?.permissions ?? [];
  });
}
