import type { TxCtx } from '#platform/ctx.ts';
import type { ApplicationId } from '#platform/ids.ts';
import { inScope } from '#platform/scoped.ts';

/** The current permissions of a management client that requested something earlier: none once it is disabled or removed. */
export async function permissionsOfAbsent(
  tx: TxCtx,
  { applicationId }: { applicationId: ApplicationId },
): Promise<readonly string[]> {
  const row = await tx.db
    .selectFrom('applications')
    .select('permissions')
    .where(inScope(tx))
    .where('id', '=', applicationId)
    .where('enabled', '=', true)
    .forShare()
    .executeTakeFirst();
  return row?.permissions ?? [];
}
