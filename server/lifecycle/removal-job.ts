import { type Static, Type } from 'typebox';
import type { TxCtx } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import { addJob } from '#platform/jobs.ts';
import type { Removed } from '#platform/removal.ts';

/** The payload of the job that removes a project or a workspace. */
export const RemovalWork = Type.Object({
  workspaceId: IdSchema('wrk'),
  projectId: Type.Union([IdSchema('prj'), Type.Null()]),
});

declare module '#platform/jobs.ts' {
  interface Jobs {
    remove_scope: Static<typeof RemovalWork>;
  }
}

/** The lowest priority, because no request waits for a removal. */
const LAST = 10;

/** Schedules a removal; replaces a job that is already waiting. */
export async function addRemovalJob(tx: TxCtx, { workspaceId, projectId }: Removed, runAt?: Date): Promise<void> {
  await addJob(
    tx,
    'remove_scope',
    { workspaceId, projectId },
    { priority: LAST, key: `remove_scope ${workspaceId} ${projectId ?? ''}`, ...(runAt && { runAt }) },
  );
}
