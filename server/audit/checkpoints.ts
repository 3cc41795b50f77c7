import { sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { type Ctx, type Environment, systemCtx, transaction } from '#platform/ctx.ts';
import type { ProjectId, WorkspaceId } from '#platform/ids.ts';
import { openCursor, type Page, type PageQuery, pageOf } from '#platform/page.ts';
import { Instant } from '#platform/schemas.ts';
import { inScope } from '#platform/scoped.ts';
import type { System } from '#platform/system.ts';
import { signAudit } from './signing.ts';

type AuditCheckpointsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  sequence: number;
  hash: Buffer;
  signed: string;
  created_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    audit_checkpoints: AuditCheckpointsTable;
  }
}

const LIST = 'audit-checkpoints';
/** How often a scope with new entries gets a checkpoint. */
const EVERY_MS = 60 * 60_000;
const BATCH = 500;

export const AuditScope = Type.Object({
  workspaceId: Type.String(),
  projectId: Type.String(),
  environment: Type.Enum(['test', 'production']),
});

/** What a checkpoint signs: the hash of this scope's chain at this sequence and time. */
export const CheckpointClaims = Type.Object({
  kind: Type.Literal('checkpoint'),
  scope: AuditScope,
  sequence: Type.Integer(),
  hash: Type.String(),
  at: Instant,
});
export type CheckpointClaims = Static<typeof CheckpointClaims>;

export const Checkpoint = Type.Object({
  sequence: Type.Integer(),
  hash: Type.String({ description: 'The hash of the chain up to this entry, base64url.' }),
  createdAt: Instant,
  signed: Type.String({
    description: 'A compact JWS (ES256) over scope, sequence, hash and time, with its public key.',
  }),
});

type Due = { workspaceId: WorkspaceId; projectId: ProjectId; environment: Environment; sequence: number; hash: Buffer };

/** Signs the end of every chain that has grown since its last checkpoint, at most once an hour each. */
export async function signDueCheckpoints(system: System): Promise<void> {
  const now = system.clock.now();
  for (;;) {
    // biome-ignore lint/performance/noAwaitInLoops: one batch after the other
    const due = await dueAt(system, now);
    // biome-ignore lint/performance/noAwaitInLoops: sequential, so that transactions do not wait for each other's rows
    for (const head of due) await keep(system, await checkpointOf(system, head, now));
    if (due.length < BATCH) return;
  }
}

async function dueAt(system: System, now: Date): Promise<Due[]> {
  const { rows } = await sql<Due>`
    select h.workspace_id as "workspaceId", h.project_id as "projectId", h.environment, h.sequence, h.hash
    from audit_heads h
    left join lateral (
      select sequence, created_at from audit_checkpoints c
      where (c.workspace_id, c.project_id, c.environment) = (h.workspace_id, h.project_id, h.environment)
      order by sequence desc limit 1) last on true
    where last.sequence is null or (last.sequence < h.sequence and last.created_at <= ${new Date(+now - EVERY_MS)})
    limit ${BATCH} /* all workspaces */`.execute(system.db);
  return rows;
}

/**
 * Stores a checkpoint and counts it, so that a removed checkpoint is detected. One chain per transaction: no lock
 * waits.
 */
async function keep(system: System, row: Awaited<ReturnType<typeof checkpointOf>>): Promise<void> {
  const { workspace_id: workspaceId, project_id: projectId, environment } = row;
  await transaction(systemCtx(system, { workspaceId, projectId, environment }, 'audit', 'audit'), (tx) =>
    tx.db
      .with('kept', (db) =>
        db
          .insertInto('audit_checkpoints')
          .values(row)
          .onConflict((conflict) => conflict.doNothing())
          .returning('sequence'),
      )
      .updateTable('audit_heads')
      .set({ checkpoints: sql`coalesce(checkpoints, 0) + 1` })
      .where('workspace_id', '=', workspaceId)
      .where('project_id', '=', projectId)
      .where('environment', '=', environment)
      .where((eb) => eb.exists(eb.selectFrom('kept').select('sequence')))
      .execute(),
  );
}

async function checkpointOf(system: System, head: Due, now: Date) {
  const { workspaceId, projectId, environment, sequence, hash } = head;
  const claims: CheckpointClaims = {
    kind: 'checkpoint',
    scope: { workspaceId, projectId, environment },
    sequence,
    hash: hash.toString('base64url'),
    at: now.toISOString(),
  };
  return {
    workspace_id: workspaceId,
    project_id: projectId,
    environment,
    sequence,
    hash,
    signed: await signAudit(system, claims),
    created_at: now,
  };
}

/** The signed checkpoints of the scope, newest first. Served by the primary key. */
export async function listCheckpoints(
  ctx: Ctx,
  { limit, cursor }: Static<typeof PageQuery>,
): Promise<Page<Static<typeof Checkpoint>>> {
  let query = ctx.db
    .selectFrom('audit_checkpoints')
    .selectAll()
    .where(inScope(ctx))
    .orderBy('sequence', 'desc')
    .limit(limit + 1);
  if (cursor !== undefined) query = query.where('sequence', '<', Number(openCursor(ctx, LIST, cursor)));
  const page = pageOf(ctx, await query.execute(), { list: LIST, limit, keyOf: ({ sequence }) => String(sequence) });
  const items = page.rows.map(({ sequence, hash, created_at, signed }) => ({
    sequence,
    hash: hash.toString('base64url'),
    createdAt: created_at.toISOString(),
    signed,
  }));
  return { items, nextCursor: page.nextCursor };
}
