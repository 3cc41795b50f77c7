import { sql } from 'kysely';
import { type Static, Type } from 'typebox';
import type { Ctx, Environment } from '#platform/ctx.ts';
import { type Id, IdSchema, type ProjectId, type WorkspaceId } from '#platform/ids.ts';
import { newestFirst, type Page, type PageQuery } from '#platform/page.ts';
import { Instant, nullable } from '#platform/schemas.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import { singleWrite } from '#platform/single-writes.ts';
import type { System } from '#platform/system.ts';
import { type ActionId, type ActionRow, findAction } from './actions.ts';
import { Decision, type Moment, StatusCode } from './contract.ts';

export type CallId = Id<'acl'>;

type ActionCallsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  action_id: ActionId;
  id: CallId;
  moment: Moment;
  dry_run: boolean;
  occurred_at: Date;
  duration_ms: number;
  status_code: number | null;
  decision: Decision;
  error: string | null;
  correlation_id: string;
};

declare module '#platform/db.ts' {
  interface Tables {
    action_calls: ActionCallsTable;
  }
}

/** A call without its body and answer, which are about a person and are not kept. */
export const ActionCall = Type.Object(
  {
    id: IdSchema('acl'),
    moment: Type.String(),
    dryRun: Type.Boolean({ description: 'Whether it was a test.' }),
    occurredAt: Instant,
    durationMs: Type.Integer(),
    statusCode: StatusCode,
    decision: Decision,
    error: nullable(Type.String({ description: 'Why it failed, or what the refused person is told.' })),
    correlationId: Type.String({ description: 'Of the request that called it.' }),
  },
  { title: 'ActionCall' },
);

/** How many calls of an action the log keeps. */
const MAX_CALLS = 500;

export type Made = {
  id: CallId;
  dryRun: boolean;
  at: Date;
  durationMs: number;
  statusCode: number | null;
  decision: Decision;
  error: string | null;
};

/** Records a call that was made. A person does not wait longer, nor is refused, because the log could not be written. */
export async function keepCall(ctx: Ctx, action: ActionRow, made: Made): Promise<void> {
  try {
    await singleWrite(ctx.system, 'outcome')
      .insertInto('action_calls')
      .values({
        ...scopeColumns(ctx),
        action_id: action.id,
        id: made.id,
        moment: action.moment,
        dry_run: made.dryRun,
        occurred_at: made.at,
        duration_ms: made.durationMs,
        status_code: made.statusCode,
        decision: made.decision,
        error: made.error,
        correlation_id: ctx.trace.correlationId.slice(0, 200),
      })
      .execute();
  } catch (error) {
    ctx.system.log.warn({ err: error, actionId: action.id }, 'the call of an action is not in its log');
  }
}

/**
 * The last calls of an action, newest first. Served by the primary key.
 * @throws Problem NOT_FOUND
 */
export async function listCalls(
  ctx: Ctx,
  id: ActionId,
  { limit, cursor }: Static<typeof PageQuery>,
): Promise<Page<Static<typeof ActionCall>>> {
  await findAction(ctx, id);
  const rows = ctx.db.selectFrom('action_calls').selectAll().where(inScope(ctx)).where('action_id', '=', id);
  const page = await newestFirst(ctx, rows, { list: `action-calls ${id}`, limit, cursor });
  const items = page.rows.map((row) => ({
    id: row.id,
    moment: row.moment,
    dryRun: row.dry_run,
    occurredAt: row.occurred_at.toISOString(),
    durationMs: row.duration_ms,
    statusCode: row.status_code,
    decision: row.decision,
    error: row.error,
    correlationId: row.correlation_id,
  }));
  return { items, nextCursor: page.nextCursor };
}

/** Deletes the calls of each action beyond the last five hundred. Served by the primary key. */
export async function deleteOldCalls(system: System): Promise<void> {
  await sql`/* all workspaces */
    delete from action_calls c using actions a, lateral (
      select id from action_calls
      where workspace_id = a.workspace_id and project_id = a.project_id and environment = a.environment and action_id = a.id
      order by id desc offset ${MAX_CALLS} limit 1
    ) last
    where c.workspace_id = a.workspace_id and c.project_id = a.project_id and c.environment = a.environment
      and c.action_id = a.id and c.id <= last.id`.execute(singleWrite(system, 'clean-up'));
}
