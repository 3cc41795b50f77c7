import type { Task } from 'graphile-worker';
import { sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { systemCtx, transaction } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import { addJob } from '#platform/jobs.ts';
import { removeRows } from '#platform/removal.ts';
import type { System } from '#platform/system.ts';

/** Rows per transaction, limited so that none holds its locks for long. */
const PORTION = 1_000;

const UnlinkingWork = Type.Object({
  workspaceId: IdSchema('wrk'),
  projectId: IdSchema('prj'),
  environment: Type.Enum(['test', 'production']),
  issuers: Type.Array(Type.String()),
});

declare module '#platform/jobs.ts' {
  interface Jobs {
    unlink_issuers: Static<typeof UnlinkingWork>;
  }
}

const work = Compile(UnlinkingWork);

/** Unlinks the accounts at removed issuers, some rows at a time. Served by the primary key. */
export function unlinkIssuersTask(system: System): Task {
  return async (payload, { job }) => {
    const { issuers, ...scope } = work.Parse(payload);
    await transaction(systemCtx(system, scope, 'unlinking', `unlinking-${job.id}`), async (tx) => {
      const where = sql`workspace_id = ${scope.workspaceId} and environment = ${scope.environment} and issuer = any(${issuers})`;
      const removed = await removeRows(tx, 'linked_identities', { where, limit: PORTION });
      if (removed === PORTION) await addJob(tx, 'unlink_issuers', { ...scope, issuers });
    });
  };
}
