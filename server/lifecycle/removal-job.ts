import { type Static, Type } from 'typebox';
import type { TxCtx } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import { addJob } from '#platform/jobs.ts';
import type { Removed } from '#platform/removal.ts';

/** What the job that removes a project or a workspace carries. */
export const RemovalWork = Type.Object({
  workspaceId: IdSchema('wrk'),
  projectId: Type.Union([IdSchema('prj'), Type.Null()]),
});

declare module '#platform/jobs.ts' {
  interface Jobs {
    remove_scope: Static<typeof RemovalWork>;
  }
}

/** Nobody waits for it. */
const LAST = 10;

/** Has something removed, from some moment on, in place of a job that waits already. */
export async function addRemovalJob(tx: TxCtx, { workspaceId, projectId }: Removed, runAt?: Date): Promise<void> {
  await addJob(
    tx,
    'remove_scope',
    { workspaceId, projectId },
    { priority: LAST, key: `remove_scope ${workspaceId} ${projectId ?? ''}`, ...(runAt && { runAt }) },
  );
}
